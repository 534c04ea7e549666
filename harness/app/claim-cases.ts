import { findBenchmark, type Catalog } from '../plan/catalog/catalog.ts';
import { expandCases, type Choices } from '../plan/catalog/expansion.ts';
import type { CaseMaker } from '../analysis/claims/claim.ts';
import { FarmError } from '../errors.ts';

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
