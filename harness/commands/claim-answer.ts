import type { Claim } from '../claims/claim.ts';
import { describeEvidence } from '../claims/evidence.ts';
import { farmVersion } from '../project.ts';
import type { ListedClaim } from '../server/api/sources.ts';
import type { Store } from '../store/store.ts';
import { telling } from './claim-text.ts';

/** What the newest run that was made for a claim says of it, or that there is none yet. */
export async function readClaimAnswer(
  claim: Claim,
  store: Pick<Store, 'readAnswer'>,
): Promise<ListedClaim> {
  const { id, sentence, published } = claim;
  const command = `npx farm reproduce ${id}`;
  const record = await store.readAnswer(id);
  if (record?.question === undefined) {
    const reason = `not measured yet: ${command}`;
    const nothing = { verdict: 'inconclusive', direction: reason, measured: null } as const;
    return { id, sentence, published, ...nothing, reason, run: null, command };
  }
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const evidence = describeEvidence(record, record.question, writing);
  const one = telling(evidence);
  const { verdict, direction, reason } = evidence;
  return {
    ...{ id, sentence, published, verdict, direction },
    measured: one?.measured ? { ...one.measured, unit: one.unit } : null,
    reason,
    run: record.run.id,
    command: evidence.command,
  };
}
