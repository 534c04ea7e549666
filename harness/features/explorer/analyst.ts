import { claims } from '../claims/catalogue/index.ts';
import type { SuiteHistory, RunOutcome } from '../../model/history.ts';
import type { WholeChanges } from '../../server/api/changes-response.ts';
import type { WholeFindings } from '../../server/api/findings-response.ts';
import type { ClaimResponse } from '../../server/api/schemas.ts';
import type { RenderedPage } from '../../server/api/sources.ts';
import type { Store } from '../../store/store.ts';
import { readClaimAnswer } from '../claims/claim-answer.ts';
import { changesResponse } from './changes-response.ts';
import { findingsResponse } from './findings-response.ts';
import { outcomeResponse } from '../../app/outcome-response.ts';
import { renderReport, renderTrialPage } from './rendered-pages.ts';

/**
 * Answers of the analysis, each computed anew. That takes from some milliseconds to seconds, in
 * which the process does nothing else. Errors: those of the store.
 */
export interface Analyst {
  /** Against a device, or the run's own baseline; null when there is no such run. */
  findings(run: number, baseline: string | null): Promise<WholeFindings | null>;
  /** Of a suite that has finished a run. */
  changes(history: SuiteHistory): Promise<WholeChanges>;
  /** The newest answer to a claim of the catalogue. */
  claim(id: string): Promise<ClaimResponse>;
  /** Null when there is no such run. */
  outcome(run: number): Promise<RunOutcome | null>;
  /** Of runs that are there, beside each other. */
  report(runs: readonly number[]): Promise<RenderedPage>;
  /** Null when there is no such trial. */
  trialPage(trial: number): Promise<RenderedPage | null>;
}

/** Works everything out in the process that asks. */
export function analyseHere(store: Store): Analyst {
  return {
    async findings(run, baseline) {
      const record = await store.readRun(run);
      return record === null ? null : findingsResponse(record, baseline);
    },
    changes: (history) => changesResponse(store, history),
    async claim(id) {
      const claim = claims.find((one) => one.id === id);
      if (claim === undefined) throw new RangeError(`There is no claim ${id}`);
      return readClaimAnswer(claim, store);
    },
    async outcome(run) {
      const record = await store.readRun(run);
      return record === null ? null : outcomeResponse(record);
    },
    report: (runs) => renderReport(runs, store.path),
    trialPage: (trial) => renderTrialPage(trial, store),
  };
}
