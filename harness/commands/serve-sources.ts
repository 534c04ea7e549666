import { evaluate, summarise, valueOfTimed } from '../analysis/summary.ts';
import { claims } from '../claims/catalogue/index.ts';
import type { Anomaly } from '../model/anomaly.ts';
import type { History } from '../model/history.ts';
import type { ApiSources, ListedAnomaly, ListedClaim } from '../server/api/sources.ts';
import type { ToldChanges, ToldFindings } from '../server/api/told.ts';
import type { Store } from '../store/store.ts';
import { readClaimAnswer } from './claim-answer.ts';
import { KeptAnswers } from './kept-answers.ts';
import { noChanges, tellChanges } from './told-changes.ts';
import { tellFindings } from './told-findings.ts';

const nobodyJoins = (): null => null;

/** What the API answers from: stored rows, and what the analysis says of them. */
export function apiSources(
  history: History,
  store: Store,
  joining: ApiSources['joining'] = nobodyJoins,
): ApiSources {
  return {
    history,
    joining,
    findings: findingsTeller(history, store),
    changes: changesTeller(history, store),
    async summaries(filter, page) {
      const { rows, next } = await history.series(filter, page);
      return { rows: rows.map(summarise), next };
    },
    async trials(filter, page) {
      const { rows, next } = await history.trials(filter, page);
      return { rows: rows.map(evaluate), next };
    },
    async trial(id) {
      const trial = await history.trial(id);
      return trial === null ? null : evaluate(trial);
    },
    claims: claimReader(history, store),
    anomalies: async () => (await store.listAnomalies()).map(toListedAnomaly),
    valueOf: valueOfTimed,
  };
}

/** More runs than these are not looked at in turns. */
const mostKept = 8;

/** What a run says changes only while it goes on. */
function findingsTeller(history: History, store: Store): ApiSources['findings'] {
  const kept = new KeptAnswers<ToldFindings | null>(mostKept);
  return async (id, baseline) => {
    const run = await history.run(id);
    if (run === null) return null;
    const state = JSON.stringify([run.status, run.startedAt, run.finishedAt, run.counts]);
    return kept.get(`${String(id)} ${baseline ?? ''}`, state, async () => {
      const record = await store.readRun(id);
      return record === null ? null : tellFindings(record, baseline);
    });
  };
}

/** Searching the nights takes seconds where there are many, and a new night is what changes it. */
function changesTeller(history: History, store: Store): ApiSources['changes'] {
  const kept = new KeptAnswers<ToldChanges>(mostKept);
  return async (suite) => {
    const found = await history.suiteHistory(suite);
    if (found === null) return noChanges(suite);
    return kept.get(found.suite, JSON.stringify(found), () => tellChanges(store, found));
  };
}

/** Judging a run takes its time and always gives the same, so each answer is judged once. */
function claimReader(history: History, store: Store): () => Promise<readonly ListedClaim[]> {
  const judged = new Map<string, ListedClaim>();
  return async () => {
    const answers: ListedClaim[] = [];
    for (const claim of claims) {
      const run = await history.answeredBy(claim.id);
      const known = judged.get(claim.id);
      const answer =
        known !== undefined && known.run === run ? known : await readClaimAnswer(claim, store);
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
