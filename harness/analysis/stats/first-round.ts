import { StatisticsRefusal, requirePositive } from './refusal.ts';

/** The blocks of which all trials were put in one random order, instead of block by block. */
export interface FirstRound {
  /** Number of first differences that belong to it. No look lies before its end. */
  readonly blocks: number;
  /** Its values so far, only if the sides are alike: see `spanOf`. */
  readonly values?: { readonly a: readonly number[]; readonly b: readonly number[] };
}

/** The shifts that a first round of alike sides allows, and the evidence against the others. */
export interface Span {
  /** Before so many blocks it excludes none. */
  readonly blocks: number;
  /** ln(min a / max b): below it, all of a lies above all of b. */
  readonly low: number;
  /** ln(max a / min b). */
  readonly high: number;
  /** ln C(2m, m), the number of ways to give the sides to 2m trials. */
  readonly logWays: number;
}

/**
 * Returns the span of a first round of alike sides. For the true shift θ, each of the C(2m, m) ways
 * to give the sides to 2m trials was equally likely, so a / exp(θ) lies above b in all trials with
 * probability 1 / C(2m, m) at most. 5 blocks make 252 ways, 3 make 20.
 *
 * Assumptions: the order of all 2m trials was drawn as one; the sides are alike: they would give
 * the same values in the same time slots but for a common factor. For sides that are not alike it
 * may be far wrong: if one of them scatters much more than the other, it lies wholly on one side of
 * it with a probability of up to 2^−m, 1 in 32, though the medians are equal.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `unequal-lengths`.
 */
export function spanOf({ blocks, values }: FirstRound): Span | null {
  if (values === undefined) return null;
  const { a, b } = values;
  requirePositive(a, 'value of the first series');
  requirePositive(b, 'value of the second series');
  if (a.length !== b.length || a.length > blocks) {
    throw new StatisticsRefusal(
      'unequal-lengths',
      `A first round of ${String(blocks)} blocks has ${String(a.length)} and ${String(b.length)} values; both sides need one for each block.`,
    );
  }
  const log = (value: number): number => Math.log(value);
  const [logA, logB] = [a.map(log), b.map(log)];
  return {
    blocks,
    low: Math.min(...logA) - Math.max(...logB),
    high: Math.max(...logA) - Math.min(...logB),
    logWays: logWaysOf(blocks),
  };
}

/** ln C(2m, m) = Σ ln((m + i) / i). */
export function logWaysOf(blocks: number): number {
  let sum = 0;
  for (let i = 1; i <= blocks; i += 1) sum += Math.log((blocks + i) / i);
  return sum;
}

/** The span of the same values with the sides exchanged. */
export function mirroredSpan(span: Span): Span {
  return { ...span, low: 0 - span.high, high: 0 - span.low };
}
