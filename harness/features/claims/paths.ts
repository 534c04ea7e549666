import { z } from 'zod';
import type { OpenedDatabase } from '../../app/extensions.ts';
import { endpoint } from '../../server/api/endpoint.ts';
import type { AddedPaths } from '../../server/api/sources.ts';
import { claims } from './catalogue/index.ts';
import { claimAnswer, type ClaimAnswer } from './claim-answer.ts';

/** Adds the claims of the catalogue to the API, each with its newest answer. */
export function addPaths(opened: OpenedDatabase): AddedPaths {
  const read = claimReader(opened);
  return {
    endpoints: [
      endpoint({
        url: '/api/v1/claims',
        name: 'listClaims',
        summary: 'Published claims, with what the newest run that asked says of each',
        answer: z.strictObject({ claims: z.array(claimAnswer) }),
        read: async () => ({ claims: await read() }),
        table: { line: claimAnswer, rows: (answer) => answer.claims },
      }),
    ],
  };
}

/** Judging a run takes its time and always gives the same, so each answer is judged once. */
function claimReader({ history, ask }: OpenedDatabase): () => Promise<readonly ClaimAnswer[]> {
  const judged = new Map<string, ClaimAnswer>();
  return async () => {
    const answers: ClaimAnswer[] = [];
    for (const { id } of claims) {
      const run = await history.answeredBy(id);
      const known = judged.get(id);
      const isKnown = known !== undefined && known.run === run;
      // The analysis of the same name gives it.
      const answer = isKnown ? known : ((await ask('claim', id)) as ClaimAnswer);
      judged.set(id, answer);
      answers.push(answer);
    }
    return answers;
  };
}
