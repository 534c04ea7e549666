import { claims } from '../analysis/claims/catalogue/index.ts';
import type { SuiteHistory } from '../model/history.ts';
import type { ListedClaim } from '../server/api/sources.ts';
import type { ToldChanges, ToldFindings } from '../server/api/told.ts';
import type { Store } from '../store/store.ts';
import { readClaimAnswer } from './claim-answer.ts';
import { tellChanges } from './told-changes.ts';
import { tellFindings } from './told-findings.ts';

/**
 * What the analysis says, each answer worked out anew: from some milliseconds of computing to seconds,
 * in which the process that does it does nothing else. Errors: those of the store.
 */
export interface Teller {
  /** Against a device, or the run's own baseline; null when there is no such run. */
  findings(run: number, baseline: string | null): Promise<ToldFindings | null>;
  /** Of a suite that has finished a run. */
  changes(history: SuiteHistory): Promise<ToldChanges>;
  /** The newest answer to a claim of the catalogue. */
  claim(id: string): Promise<ListedClaim>;
}

/** Works everything out in the process that asks. */
export function tellHere(store: Store): Teller {
  return {
    async findings(run, baseline) {
      const record = await store.readRun(run);
      return record === null ? null : tellFindings(record, baseline);
    },
    changes: (history) => tellChanges(store, history),
    async claim(id) {
      const claim = claims.find((one) => one.id === id);
      if (claim === undefined) throw new RangeError(`There is no claim ${id}`);
      return readClaimAnswer(claim, store);
    },
  };
}
