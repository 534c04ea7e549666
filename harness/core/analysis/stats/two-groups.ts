import { sampleVariance } from 'simple-statistics';
import { requirePositive } from './refusal.ts';

/** Closer groups are one speed with noise: 1.25 is a gap of 25 %. */
const leastGap = Math.log(1.25);

/** The gap over the standard deviation inside the groups, at least. */
const gapOverSpread = 4;

/** A single trial far from the others is an outlier, not a second speed. */
const fewest = 2;

/**
 * Splits values into two groups that lie clearly apart, the lower one first; null where they do not.
 *
 * The split is at the largest gap of the sorted logarithms that leaves two values on either side. It
 * counts when the gap is more than 25 %, and more than four times the pooled standard deviation of
 * the logarithms inside the groups: s² = (Σ(n_g − 1) s_g²) / (n − 2).
 *
 * It is a rule for showing values, not a test: only more trials can show whether there are really
 * two modes, such as compiled code and code that was never compiled. Normal noise of 20 % is split
 * in 6 % of series of 4, 2 % of 8 and 0.1 % of 16; noise of 5 % never. Smallest n: 4; fewer are one
 * group.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`.
 */
export function twoGroups(
  values: readonly number[],
): readonly [lower: readonly number[], upper: readonly number[]] | null {
  requirePositive(values, 'value');
  const sorted = [...values].sort((a, b) => a - b);
  const logs = sorted.map(Math.log);
  const { cut, gap } = largestGap(logs);
  if (gap <= leastGap || gap <= gapOverSpread * spreadWithin(logs, cut)) return null;
  return [sorted.slice(0, cut), sorted.slice(cut)];
}

/** `cut` is the place of the upper group's first value. */
function largestGap(logs: readonly number[]): { readonly cut: number; readonly gap: number } {
  let largest = { cut: 0, gap: 0 };
  for (let cut = fewest; cut <= logs.length - fewest; cut += 1) {
    const gap = (logs[cut] ?? NaN) - (logs[cut - 1] ?? NaN);
    if (gap > largest.gap) largest = { cut, gap };
  }
  return largest;
}

/** Both groups have at least two values. */
function spreadWithin(logs: readonly number[], cut: number): number {
  const squares = [logs.slice(0, cut), logs.slice(cut)].map(
    (group) => (group.length - 1) * sampleVariance(group),
  );
  return Math.sqrt(squares.reduce((sum, one) => sum + one, 0) / (logs.length - 2));
}
