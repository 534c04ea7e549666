import type { SuiteHistory, RunOutcome } from '../../model/history.ts';
import type { WholeChanges } from '../../server/api/changes-response.ts';
import type { WholeFindings } from '../../server/api/findings-response.ts';
import type { RenderedPage } from '../../server/api/sources.ts';
import type { Store } from '../../store/store.ts';
import { analyseByName } from '../../app/extensions.ts';
import { changesResponse } from './changes-response.ts';
import { findingsResponse } from './findings-response.ts';
import { outcomeResponse } from '../../app/outcome-response.ts';
import { renderReport, renderTrialPage } from './rendered-pages.ts';

/**
 * Answers of the analysis, each computed afresh. That takes from some milliseconds to seconds, in
 * which the process does nothing else. Errors: those of the store.
 */
export interface Analyst {
  /** Against a device, or the run's own baseline; null when the run is unknown. */
  findings(run: number, baseline: string | null): Promise<WholeFindings | null>;
  /** Of a suite that has finished a run. */
  changes(history: SuiteHistory): Promise<WholeChanges>;
  /** An analysis that a feature adds. */
  added(name: string, id: string): Promise<unknown>;
  /** Null when the run is unknown. */
  outcome(run: number): Promise<RunOutcome | null>;
  /** Of existing runs, next to each other. */
  report(runs: readonly number[]): Promise<RenderedPage>;
  /** Null when the trial is unknown. */
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
    added: (name, id) => analyseByName(store, name, id),
    async outcome(run) {
      const record = await store.readRun(run);
      return record === null ? null : outcomeResponse(record);
    },
    report: (runs) => renderReport(runs, store.path),
    trialPage: (trial) => renderTrialPage(trial, store),
  };
}
