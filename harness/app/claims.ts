import { existsSync } from 'node:fs';
import type { EvidenceFindings } from '../../reports/findings/evidence.ts';
import { claims } from '../analysis/claims/catalogue/index.ts';
import type { Claim } from '../analysis/claims/claim.ts';
import { describeEvidence } from '../analysis/claims/evidence.ts';
import { planClaim } from '../analysis/claims/plan-claim.ts';
import { unknownName } from '../errors.ts';
import { farmVersion } from '../project.ts';
import { openStore, type Store } from '../store/store.ts';
import { findClaimSetting, type ClaimSetting } from './reproduce/claim-setting.ts';
import type { QuestionAnswer } from './reproduce/measure-question.ts';

/** The answer to one claim, or why there is none. */
export type ClaimAnswer =
  | {
      readonly kind: 'measured';
      readonly claim: Claim;
      readonly evidence: EvidenceFindings;
      readonly answer: Pick<QuestionAnswer, 'record' | 'interrupted' | 'vanished'>;
      /** Of the evidence report; null when none was written. */
      readonly path: string | null;
    }
  | {
      readonly kind: 'not-testable' | 'not-measured';
      readonly claim: Claim;
      readonly because: string;
      readonly command: string;
      readonly path: string | null;
    };

/**
 * Chooses claims by id, or by the letter of their section; each once, in the catalogue's order.
 * @throws FarmError `unknown-claim`
 */
export function chooseClaims(names: readonly string[]): readonly Claim[] {
  const wanted = names.map((name) => name.toUpperCase());
  const sections = [...new Set(claims.map(({ id }) => id.charAt(0)))];
  const known = [...sections, ...claims.map(({ id }) => id)];
  wanted.forEach((seen, index) => {
    if (seen === 'ALL' || known.includes(seen)) return;
    throw unknownName('unknown-claim', { kind: 'claim', seen: names[index] ?? seen, known });
  });
  return claims.filter(
    ({ id }) => wanted.includes('ALL') || wanted.includes(id) || wanted.includes(id.charAt(0)),
  );
}

export interface ClaimsOptions {
  readonly database: string;
  /** The devices file. */
  readonly inventory: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
}

/** Lists claims, each with its newest finished reproduction. @throws FarmError `unknown-claim`. */
export async function listClaims(
  names: readonly string[],
  { database, inventory, pages }: ClaimsOptions,
): Promise<readonly ClaimAnswer[]> {
  const chosen = chooseClaims(names);
  const setting = await findClaimSetting({ inventory, pages, device: [], param: {} });
  // Opening would make it, and who only looks must not leave a file behind.
  const store = existsSync(database) ? await openStore(database) : null;
  try {
    const answers: ClaimAnswer[] = [];
    for (const claim of chosen) answers.push(await readAnswer(claim, setting, store));
    return answers;
  } finally {
    await store?.close();
  }
}

async function readAnswer(
  claim: Claim,
  setting: ClaimSetting,
  store: Store | null,
): Promise<ClaimAnswer> {
  const command = `npx farm reproduce ${claim.id}`;
  const record = (await store?.readAnswer(claim.id)) ?? null;
  if (record?.question !== undefined) {
    const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
    const evidence = describeEvidence(record, record.question, writing);
    const answer = { record, interrupted: false, vanished: null };
    return { kind: 'measured', claim, evidence, answer, path: null };
  }
  const planned = planClaim(claim, setting);
  const without = { claim, command, path: null };
  return planned.kind === 'not-testable'
    ? { kind: 'not-testable', because: planned.because, ...without }
    : { kind: 'not-measured', because: `not measured yet: ${command}`, ...without };
}
