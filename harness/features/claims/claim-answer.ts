import { z } from 'zod';
import { id as runId, type TypeOf } from '../../core/results/fields.ts';
import { claims } from './catalogue/index.ts';
import type { MeasuredNumber } from '../../core/results/index.ts';
import type { Claim } from './judging/claim.ts';
import { describeEvidence, leadingAssertion } from './judging/evidence.ts';
import { farmVersion } from '../../core/project.ts';
import type { Store } from '../../core/store/store.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { OpenedDatabase } from '../../core/app/extensions.ts';
import { endpoint } from '../../core/server/api/endpoint.ts';
import type { AddedPaths, RenderedPage } from '../../core/server/api/sources.ts';
import type { Anomaly } from '../../core/model/anomaly.ts';
import type { MeasuredAgain } from './findings-pages.ts';

const part = z
  .enum(['confirmed', 'refuted', 'open', 'not published'])
  .nullable()
  .describe('Null while nothing was measured');

export const claimAnswer = z.strictObject({
  id: z.string(),
  sentence: z.string(),
  published: z.string(),
  verdict: z.enum(['confirmed', 'refuted', 'inconclusive', 'not-testable']),
  directionVerdict: part,
  sizeVerdict: part,
  headline: z.string().describe('What was shown of direction and size, in one line'),
  direction: z.string(),
  measured: z
    .strictObject({
      value: z.number(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      unit: z.string(),
    })
    .nullable(),
  reason: z.string(),
  run: runId.nullable(),
  command: z.string(),
});

export type ClaimAnswer = TypeOf<typeof claimAnswer>;

/** Slow analyses, which the explorer runs in another process. */
export const analyses = {
  claim(store: Store, id: string): Promise<ClaimAnswer> {
    const claim = claims.find((one) => one.id === id);
    if (claim === undefined) throw new RangeError(`There is no claim ${id}`);
    return readClaimAnswer(claim, store);
  },
  async findings(store: Store): Promise<string> {
    const { renderFindings } = await import('./findings-pages.ts');
    return renderFindings(await store.listAnomalies(), writingNow());
  },
  /** The page of a finding, as HTML; null for an unknown one. */
  async finding(store: Store, id: string): Promise<string | null> {
    const found = await findFinding(store, id);
    if (found === null) return null;
    const { renderFinding } = await import('./findings-pages.ts');
    return renderFinding(found, await measuredAgain(store, found.id), writingNow());
  },
  /** Its newest evidence, as HTML; null without evidence. */
  async evidence(store: Store, id: string): Promise<string | null> {
    const found = await findFinding(store, id);
    const again = found && (await measuredAgain(store, found.id));
    if (again === null) return null;
    const { renderEvidence } = await import('./evidence-page.ts');
    return renderEvidence(again.evidence);
  },
};

async function findFinding(store: Store, id: string): Promise<Anomaly | null> {
  return (await store.listAnomalies()).find((one) => one.id === id) ?? null;
}

async function measuredAgain(store: Store, id: string): Promise<MeasuredAgain | null> {
  const record = await store.readAnswer(id);
  if (record?.question === undefined) return null;
  const evidence = describeEvidence(record, record.question, writingNow());
  return { run: record.run.id, evidence };
}

function writingNow(): { readonly writtenAt: string; readonly farmVersion: string } {
  return { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
}

/** Reads the answer of a claim's newest run, or that it has no run yet. */
export async function readClaimAnswer(
  claim: Claim,
  store: Pick<Store, 'readAnswer'>,
): Promise<ClaimAnswer> {
  const { id, sentence, published } = claim;
  const command = `${npxCrossfarm} claims reproduce ${id}`;
  const record = await store.readAnswer(id);
  if (record?.question === undefined) {
    const reason = `not measured yet: ${command}`;
    return {
      id,
      sentence,
      published,
      verdict: 'inconclusive',
      direction: reason,
      measured: null,
      directionVerdict: null,
      sizeVerdict: null,
      headline: reason,
      reason,
      run: null,
      command,
    };
  }
  const evidence = describeEvidence(record, record.question, writingNow());
  const one = leadingAssertion(evidence);
  const { verdict, directionVerdict, sizeVerdict, headline, direction, reason } = evidence;
  return {
    id,
    sentence,
    published,
    verdict,
    directionVerdict,
    sizeVerdict,
    headline,
    direction,
    measured: one?.measured ? valueOf(one.measured, one.unit) : null,
    reason,
    run: record.run.id,
    command: evidence.command,
  };
}

function valueOf(
  { value, low, high }: MeasuredNumber,
  unit: string,
): NonNullable<ClaimAnswer['measured']> {
  return { value, low, high, unit };
}

/** Adds the claims of the catalogue to the API, each with its newest answer, and pages of saved findings. */
export function addPaths(opened: OpenedDatabase): AddedPaths {
  const read = claimReader(opened);
  const ofFinding =
    (analysis: keyof typeof analyses) =>
    async (params: unknown): Promise<RenderedPage | null> => {
      const { id = '' } = params as { readonly id?: string };
      const html = (await opened.ask(analysis, id)) as string | null;
      if (html === null) return null;
      const { policyOf } = await import('../../../reports/html/page.ts');
      return { html, policy: policyOf(html) };
    };
  const missing = 'There is no such finding here.';
  return {
    pages: [
      { url: '/findings', missing, make: ofFinding('findings') },
      { url: '/findings/:id', missing, make: ofFinding('finding') },
      {
        url: '/findings/:id/evidence',
        missing: 'There is no evidence of this finding here.',
        make: ofFinding('evidence'),
      },
    ],
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
