import type { SuiteHistory, RunOutcome } from '../../core/model/history.ts';
import type { WholeChanges } from '../../core/server/api/changes-response.ts';
import type { WholeFindings } from '../../core/server/api/findings-response.ts';
import type { RenderedPage } from '../../core/server/api/sources.ts';
import { linkCase } from '../../../reports/client/case-address.js';
import type { Store } from '../../core/store/store.ts';
import { analyseByName } from '../../core/app/extensions.ts';
import { changesResponse } from './changes-response.ts';
import { findingsResponse } from './findings-response.ts';
import { outcomeResponse } from '../../core/app/outcome-response.ts';
import { describeRun } from '../../core/analysis/findings.ts';
import { describeTrial } from '../../core/analysis/trial-facts.ts';
import { farmVersion } from '../../core/project.ts';
import { renderRunInShort, renderRuns } from '../../core/app/report/report.ts';
import type { FirstScreen, OpenableTrial } from '../../../reports/comparison.ts';

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
  /** The first screen of the report of an existing run. */
  firstScreen(run: number): Promise<FirstScreen>;
  /** A case of a run at a glance; null when the run is unknown. */
  caseInShort(
    run: number,
    caseName: string,
    trials: readonly OpenableTrial[],
  ): Promise<FirstScreen | null>;
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
    firstScreen: (run) => renderRunInShort(run, store.path),
    async caseInShort(run, caseName, trials) {
      const record = await store.readRun(run);
      if (record === null) return null;
      const { renderCase } = await import('../../../reports/comparison.ts');
      // Of a report's head, which a part of a page has not.
      const findings = describeRun(record, { writtenAt: '', farmVersion: '' });
      return renderCase(findings, caseName, trials);
    },
    trialPage: (trial) => renderTrialPage(trial, store),
  };
}

/**
 * The report of stored runs next to each other, as `farm report` writes it. Errors: those of that.
 */
async function renderReport(runs: readonly number[], database: string): Promise<RenderedPage> {
  const { html } = await renderRuns(runs, { database });
  return withPolicy(html);
}

/** A trial with its series, cores, threads and surroundings; null when the trial is unknown. */
async function renderTrialPage(trial: number, store: Store): Promise<RenderedPage | null> {
  const record = await store.readTrial(trial);
  const facts =
    record &&
    describeTrial(record, {
      trial,
      writtenAt: new Date().toISOString(),
      farmVersion: farmVersion(),
      links: [
        { text: 'All runs', href: '/' },
        { text: `Run ${String(record.run.id)}`, href: `/runs/${String(record.run.id)}` },
      ],
    });
  if (facts === null) return null;
  const { renderTrial } = await import('../../../reports/trial.ts');
  const ofCase = {
    text: 'Its case over time',
    href: linkCase(facts.caseName),
  };
  const html = await renderTrial({ ...facts, links: [...facts.links, ofCase] });
  return withPolicy(html);
}

/** Reports are loaded when the first one is rendered. */
async function withPolicy(html: string): Promise<RenderedPage> {
  const { policyOf } = await import('../../../reports/html/page.ts');
  return { html, policy: policyOf(html) };
}
