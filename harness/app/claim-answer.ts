import type { Measured } from '../../reports/findings.ts';
import type { CaseMaker, Claim } from '../analysis/claims/claim.ts';
import { describeEvidence } from '../analysis/claims/evidence.ts';
import { telling } from '../cli/text/claim-text.ts';
import { FarmError } from '../errors.ts';
import { type Catalog, findBenchmark } from '../plan/catalog/catalog.ts';
import { type Choices, expandCases } from '../plan/catalog/expansion.ts';
import { farmVersion } from '../project.ts';
import type { ClaimResponse } from '../server/api/schemas.ts';
import type { Store } from '../store/store.ts';

/** What the newest run that was made for a claim says of it, that there is none yet, or that no farm can ask it. */
export async function readClaimAnswer(
  claim: Claim,
  store: Pick<Store, 'readAnswer'>,
): Promise<ClaimResponse> {
  const { id, sentence, published } = claim;
  const command = `npx farm reproduce ${id}`;
  const record = await store.readAnswer(id);
  if (record?.question === undefined) {
    const nowhere = claim.ask.kind === 'not-testable';
    const reason = nowhere ? claim.ask.because : `not measured yet: ${command}`;
    const verdict = nowhere ? 'not-testable' : 'inconclusive';
    return {
      ...{ id, sentence, published, verdict, direction: reason, measured: null },
      ...{ directionVerdict: null, sizeVerdict: null, headline: reason },
      ...{ reason, run: null, command },
    };
  }
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const evidence = describeEvidence(record, record.question, writing);
  const one = telling(evidence);
  const { verdict, directionVerdict, sizeVerdict, headline, direction, reason } = evidence;
  return {
    ...{ id, sentence, published, verdict, directionVerdict, sizeVerdict, headline, direction },
    measured: one?.measured ? valueOf(one.measured, one.unit) : null,
    reason,
    run: record.run.id,
    command: evidence.command,
  };
}

function valueOf(
  { value, low, high }: Measured,
  unit: string,
): NonNullable<ClaimResponse['measured']> {
  return { value, low, high, unit };
}

/**
 * Cases for a claim: its own parameters, and what the user chose for those that it leaves free.
 * @throws FarmError for a parameter that the claim fixes, that does not exist, or out of range.
 */
export function makeCaseMaker(catalog: Catalog, chosen: Choices): CaseMaker {
  return (benchmark, parameters) => {
    for (const name of Object.keys(chosen)) {
      if (!(name in parameters)) continue;
      throw new FarmError('bad-argument', {
        what: `The claim fixes ${name}; --param cannot change it.`,
        next: `To measure another ${name}: farm compare or farm run --bench ${benchmark}.`,
      });
    }
    const cases = expandCases(findBenchmark(catalog, benchmark), { ...chosen, ...parameters });
    const [one] = cases;
    if (one !== undefined && cases.length === 1) return one;
    throw new FarmError('bad-argument', {
      what: `A claim takes one value of each parameter, and --param gives ${String(cases.length)} cases.`,
      next: 'Give each parameter one value.',
    });
  };
}
