import { evaluate, summarise, valueOfTimed } from '../analysis/summary.ts';
import { claims } from '../claims/catalogue/index.ts';
import type { Anomaly } from '../model/anomaly.ts';
import type { History } from '../model/history.ts';
import type { ApiSources, ListedAnomaly, ListedClaim } from '../server/api/sources.ts';
import type { Store } from '../store/store.ts';
import { readClaimAnswer } from './claim-answer.ts';

/** What the API answers from: stored rows, and what the analysis says of them. */
export function apiSources(history: History, store: Store): ApiSources {
  return {
    history,
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
