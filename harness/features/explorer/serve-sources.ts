import { addedPaths } from '../../core/app/extensions.ts';
import { summarise } from '../../core/analysis/summary.ts';
import type { Anomaly } from '../../core/model/anomaly.ts';
import type { History, RunOutcome } from '../../core/model/history.ts';
import type { WholeChanges } from '../../core/server/api/changes-response.ts';
import type { WholeFindings } from '../../core/server/api/findings-response.ts';
import type { AnomalyResponse } from '../../core/server/api/other-response.ts';
import type { ApiSources, RenderedPage } from '../../core/server/api/sources.ts';
import type { Store } from '../../core/store/store.ts';
import type { FirstScreen } from '../../../reports/comparison.ts';
import { analyseHere, type Analyst } from './analyst.ts';
import { noChanges } from './changes-response.ts';
import { explorerParts } from './explorer-parts.ts';
import { progressOf } from './run-progress.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

export interface SourceOptions {
  /** No device may join when left out. */
  readonly joining?: ApiSources['joining'];
  /** Runs long analyses; this process when left out, which then blocks. */
  readonly analyst?: Analyst;
  /** Empty when left out. */
  readonly openable?: ApiSources['openable'];
}

/** Sources of the API: stored rows, and their analysis. */
export async function apiSources(
  history: History,
  store: Store,
  options: SourceOptions = {},
): Promise<ApiSources> {
  const { joining = () => null, analyst = analyseHere(store) } = options;
  const { openable = () => Promise.resolve([]) } = options;
  const series: Pick<ApiSources, 'summaries' | 'changes'> = {
    changes: changesOf(history, analyst),
    async summaries(filter, page) {
      const { rows, next } = await history.series(filter, page);
      return { rows: rows.map(summarise), next };
    },
  };
  return {
    ...series,
    history,
    joining,
    openable,
    parts: explorerParts(history, {
      ...series,
      ended: firstScreensOf(history, analyst),
      caseInShort: (...asked) => analyst.caseInShort(...asked),
    }),
    added: await addedPaths({
      database: store.path,
      history,
      ask: (analysis, id) => analyst.added(analysis, id),
    }),
    progress: progressOf(history),
    outcome: outcomesOf(history, analyst),
    report: reportsOf(history, analyst),
    trialPage: (trial) => analyst.trialPage(trial),
    findings: findingsOf(history, analyst),
    trials: (filter, page) => history.trials(filter, page),
    trial: (id) => history.trial(id),
    anomalies: async () => (await store.listAnomalies()).map(anomalyResponse),
  };
}

/** More runs than these are not looked at in turns. */
const mostKept = 8;

/** The findings of a run change only while it is in progress. */
function findingsOf(history: History, analyst: Analyst): ApiSources['findings'] {
  const kept = new PromiseCache<WholeFindings | null>(mostKept);
  return async (id, baseline) => {
    const state = await stateOf(history, id);
    if (state === null) return null;
    return kept.get(`${String(id)} ${baseline ?? ''}`, state, () => analyst.findings(id, baseline));
  };
}

/** Differs when a run has changed; null when the run is unknown. */
async function stateOf(history: History, id: number): Promise<string | null> {
  const run = await history.run(id);
  return run && JSON.stringify([run.status, run.startedAt, run.finishedAt, run.counts]);
}

/** Some numbers each, so that there is room for all runs of a list. */
const mostOutcomes = 400;

function outcomesOf(history: History, analyst: Analyst): ApiSources['outcome'] {
  const kept = new PromiseCache<RunOutcome | null>(mostOutcomes);
  return async (id) => {
    const state = await stateOf(history, id);
    return state === null ? null : kept.get(String(id), state, () => analyst.outcome(id));
  };
}

/** A report has two megabytes at most. */
const mostReports = 4;

function reportsOf(history: History, analyst: Analyst): ApiSources['report'] {
  const kept = new PromiseCache<RenderedPage>(mostReports);
  return async (runs) => {
    const states: string[] = [];
    for (const run of runs) {
      const state = await stateOf(history, run);
      if (state === null) return null;
      states.push(state);
    }
    return kept.get(runs.join(' '), states.join(' '), () => analyst.report(runs));
  };
}

function firstScreensOf(history: History, analyst: Analyst): (run: number) => Promise<FirstScreen> {
  const kept = new PromiseCache<FirstScreen>(mostKept);
  return async (run) =>
    kept.get(String(run), (await stateOf(history, run)) ?? '', () => analyst.firstScreen(run));
}

/** Searching the nights takes seconds where there are many, and a new night is what changes it. */
function changesOf(history: History, analyst: Analyst): ApiSources['changes'] {
  const kept = new PromiseCache<WholeChanges>(mostKept);
  return async (suite) => {
    const found = await history.suiteHistory(suite);
    if (found === null) return noChanges(suite);
    return kept.get(found.suite, JSON.stringify(found), () => analyst.changes(found));
  };
}

function anomalyResponse(anomaly: Anomaly): AnomalyResponse {
  const { id, state, sentence, reason, run, createdAt, changedAt, targets } = anomaly;
  return {
    id,
    state,
    sentence,
    reason,
    run,
    createdAt,
    changedAt,
    devices: targets.map(({ device }) => device.id),
    command: `${npxCrossfarm} findings reproduce ${id}`,
  };
}

/** An answer that takes its time, and for which state of what it was made from. */
interface Entry<Answer> {
  readonly state: string;
  readonly answer: Promise<Answer>;
}

/**
 * Cache of slow answers, kept as long as their data are in the same state. A question
 * during its making waits for it. The oldest is dropped when there are too many.
 */
export class PromiseCache<Answer> {
  readonly #kept = new Map<string, Entry<Answer>>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** The answer to a question; `make` is called when this state has no page. */
  get(question: string, state: string, make: () => Promise<Answer>): Promise<Answer> {
    const known = this.#kept.get(question);
    if (known?.state === state) return known.answer;
    const answer = make();
    this.#kept.delete(question);
    this.#kept.set(question, { state, answer });
    // A failure is not kept: the next question may succeed.
    answer.catch(() => {
      if (this.#kept.get(question)?.answer === answer) this.#kept.delete(question);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
    return answer;
  }
}
