import { medianInterval } from './median-interval.ts';

/** The costs of both curves in one block, at each amount of work. */
export interface BlockCurves {
  readonly base: readonly number[];
  readonly other: readonly number[];
}

/**
 * The amount of work from which on the other costs less than the base. −∞: already at the smallest
 * measured amount; +∞: not even at the largest.
 */
interface CrossingInterval {
  readonly at: number;
  readonly low: number;
  readonly high: number;
  /** Actual coverage of the interval, 0–1. */
  readonly confidence: number;
  readonly blocks: number;
}

/** The smallest gain that counts: the farm's margin of relevance. */
const leastGain = 0.02;

/**
 * Finds the amount of work at which one way of doing it begins to cost less than another, such as
 * workers that have to be started compared with the existing thread.
 *
 * Model: both costs have a fixed part and a part for each unit of work, base(c) = f + u·c and
 * other(c) = F + U·c, with multiplicative noise. If the fixed part is the larger and the part for
 * each unit the smaller one, the two cross at c* = (F − f) / (u − U), and other / base falls
 * everywhere.
 *
 * In each block separately:
 *
 * 1. ln(other / base) at each amount, made to fall: the non-increasing sequence that is nearest
 *    by least squares (pool adjacent violators: Ayer et al. 1955, Ann. Math. Stat. 26:641). So
 *    noise near the crossing gives one change of sign, not several.
 * 2. If it never falls below −ln(1 + `leastGain`), the other never wins: +∞. Else, if it is at
 *    most 0 from the start, −∞.
 * 3. Else between the last amount a above 0 and the first one b at or below, the difference d =
 *    other − base is taken as a straight line: c* = a + (b − a) · d(a) / (d(a) − d(b)). By the
 *    model that is exact, however far a and b are apart. A straight line in logarithms is not: the
 *    curve sags, and where the other ends up twice as fast the crossing would come out up to 9 %
 *    too late in steps of half a decade, and 40 % in whole ones.
 *
 * Over blocks it is the median, with the distribution-free interval of `medianInterval`. The
 * infinite values are ordered like any others. The median of an even number of blocks is the
 * geometric mean of the middle two; if one of them is infinite, the later one.
 *
 * Assumptions: blocks are independent; noise is as likely to favour one side as the other, so that
 * the median block crosses where the curves do; a unit of work costs the same at every amount (a
 * compiler that comes late bends the curve). Amounts without measurements have no answer.
 *
 * Smallest n: 1 block, of which the confidence is 0; 6 for 95 %.
 *
 * @param amounts rising, at least two, all above 0
 * @param blocks at least one; as many costs as amounts, all above 0
 */
export function findCrossing(
  amounts: readonly number[],
  blocks: readonly BlockCurves[],
): CrossingInterval {
  // A typed array sorts by number, infinities included.
  const sorted = Float64Array.from(blocks, (block) => crossingOfBlock(amounts, block)).sort();
  // The interval of the places 0 … n − 1 in that order gives the interval of their values.
  const { median, low, high, confidence } = medianInterval(Array.from(sorted.keys()));
  const at = (place: number): number => sorted[place] ?? NaN;
  return {
    at: between(at(Math.floor(median)), at(Math.ceil(median))),
    low: at(low),
    high: at(high),
    confidence,
    blocks: blocks.length,
  };
}

function between(earlier: number, later: number): number {
  return Number.isFinite(earlier) && Number.isFinite(later) ? Math.sqrt(earlier * later) : later;
}

function crossingOfBlock(amounts: readonly number[], { base, other }: BlockCurves): number {
  const ratios = fallingFit(amounts.map((_, i) => Math.log(at(other, i)) - Math.log(at(base, i))));
  if (at(ratios, ratios.length - 1) > -Math.log1p(leastGain)) return Infinity;
  const first = ratios.findIndex((ratio) => ratio <= 0);
  if (first === 0) return -Infinity;
  const difference = (i: number): number => at(base, i) * Math.expm1(at(ratios, i));
  const [before, after] = [difference(first - 1), difference(first)];
  const [from, to] = [at(amounts, first - 1), at(amounts, first)];
  return from + ((to - from) * before) / (before - after);
}

interface Pool {
  readonly mean: number;
  readonly size: number;
}

/**
 * Returns the non-increasing sequence with the smallest sum of squared distances to the given one.
 */
export function fallingFit(values: readonly number[]): readonly number[] {
  const pools: Pool[] = [];
  for (const value of values) {
    let pool: Pool = { mean: value, size: 1 };
    for (
      let last = pools.at(-1);
      last !== undefined && last.mean < pool.mean;
      last = pools.at(-1)
    ) {
      pools.pop();
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ mean, size }) => Array.from({ length: size }, () => mean));
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? NaN;
}
