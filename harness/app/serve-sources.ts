import { summarise } from '../analysis/summary.ts';
import { claims } from '../analysis/claims/catalogue/index.ts';
import type { Anomaly } from '../model/anomaly.ts';
import type { History } from '../model/history.ts';
import type { ApiSources, ListedAnomaly, ListedClaim } from '../server/api/sources.ts';
import type { ToldChanges, ToldFindings } from '../server/api/told.ts';
import type { Store } from '../store/store.ts';
import { KeptAnswers } from './kept-answers.ts';
import { tellHere, type Teller } from './teller.ts';
import { noChanges } from './told-changes.ts';

export interface SourceOptions {
  /** Nobody may join when left out. */
  readonly joining?: ApiSources['joining'];
  /** Who works out what takes its time; this process when left out, which then does nothing else. */
  readonly teller?: Teller;
}

/** What the API answers from: stored rows, and what the analysis says of them. */
export function apiSources(
  history: History,
  store: Store,
  { joining = () => null, teller = tellHere(store) }: SourceOptions = {},
): ApiSources {
  return {
    history,
    joining,
    findings: findingsOf(history, teller),
    changes: changesOf(history, teller),
    async summaries(filter, page) {
      const { rows, next } = await history.series(filter, page);
      return { rows: rows.map(summarise), next };
    },
    trials: (filter, page) => history.trials(filter, page),
    trial: (id) => history.trial(id),
    claims: claimReader(history, teller),
    anomalies: async () => (await store.listAnomalies()).map(toListedAnomaly),
  };
}

/** More runs than these are not looked at in turns. */
const mostKept = 8;

/** What a run says changes only while it goes on. */
function findingsOf(history: History, teller: Teller): ApiSources['findings'] {
  const kept = new KeptAnswers<ToldFindings | null>(mostKept);
  return async (id, baseline) => {
    const run = await history.run(id);
    if (run === null) return null;
    const state = JSON.stringify([run.status, run.startedAt, run.finishedAt, run.counts]);
    return kept.get(`${String(id)} ${baseline ?? ''}`, state, () => teller.findings(id, baseline));
  };
}

/** Searching the nights takes seconds where there are many, and a new night is what changes it. */
function changesOf(history: History, teller: Teller): ApiSources['changes'] {
  const kept = new KeptAnswers<ToldChanges>(mostKept);
  return async (suite) => {
    const found = await history.suiteHistory(suite);
    if (found === null) return noChanges(suite);
    return kept.get(found.suite, JSON.stringify(found), () => teller.changes(found));
  };
}

/** Judging a run takes its time and always gives the same, so each answer is judged once. */
function claimReader(history: History, teller: Teller): () => Promise<readonly ListedClaim[]> {
  const judged = new Map<string, ListedClaim>();
  return async () => {
    const answers: ListedClaim[] = [];
    for (const claim of claims) {
      const run = await history.answeredBy(claim.id);
      const known = judged.get(claim.id);
      const isKnown = known !== undefined && known.run === run;
      const answer = isKnown ? known : await teller.claim(claim.id);
      judged.set(claim.id, answer);
      answers.push(answer);
    }
    return answers;
  };
}

function toListedAnomaly(anomaly: Anomaly): ListedAnomaly {
  const { id, state, sentence, reason, run, createdAt, changedAt, targets } = anomaly;
  return {
    ...{ id, state, sentence, reason, run, createdAt, changedAt },
    devices: targets.map(({ device }) => device.id),
    command: `npx farm reproduce ${id}`,
  };
}
