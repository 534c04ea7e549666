import type { MeasuredNumber } from '../../results/index.ts';
import type { Claim } from './judging/claim.ts';
import { describeEvidence, leadingAssertion } from './judging/evidence.ts';
import { farmVersion } from '../../project.ts';
import type { ClaimResponse } from '../../server/api/schemas.ts';
import type { Store } from '../../store/store.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

/** Reads what the newest run that was made for a claim says of it, or that there is none yet. */
export async function readClaimAnswer(
  claim: Claim,
  store: Pick<Store, 'readAnswer'>,
): Promise<ClaimResponse> {
  const { id, sentence, published } = claim;
  const command = `${npxCrossfarm} reproduce ${id}`;
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
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const evidence = describeEvidence(record, record.question, writing);
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
): NonNullable<ClaimResponse['measured']> {
  return { value, low, high, unit };
}
