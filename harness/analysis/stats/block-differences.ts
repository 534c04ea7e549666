import { requirePositive } from './refusal.ts';

/** The values of two series in one block, in the same unit. */
export interface BlockPair {
  readonly a: number;
  readonly b: number;
}

/**
 * The log ratio of each block: d = ln(a / b).
 *
 * Only blocks in which both series completed can be given. Leaving out the others is harmless as
 * long as a trial does not fail *because* it was slow or fast.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive` (a time of 0 has no ratio).
 */
export function blockDifferences(pairs: readonly BlockPair[]): number[] {
  requirePositive(
    pairs.map(({ a }) => a),
    'value of the first series',
  );
  requirePositive(
    pairs.map(({ b }) => b),
    'value of the second series',
  );
  // A difference of logarithms cannot overflow, as the quotient of a huge and a tiny value could.
  return pairs.map(({ a, b }) => Math.log(a) - Math.log(b));
}
