import { StatisticsRefusal } from '../core/analysis/stats/refusal.ts';
import { studentTwoSidedP } from '../core/analysis/stats/student-t.ts';

/**
 * The former test of the farm, kept for comparison: bets 1 + tanh(λd) mixed over eleven scales 1 /
 * λ = 0.5 %, 1 %, … 512 %, with a share of 0.16 for "always the same sign". It adapts to the noise,
 * and holds only if d is symmetric: for a ratio of two series of different shape it guarantees
 * nothing.
 */
const scales = Array.from({ length: 11 }, (_, doublings) => 0.005 * 2 ** doublings);
const signWeight = 0.16;

interface ScalesEvidence {
  readonly blocks: number;
  readonly sum: number;
  /** Σ ln cosh(d / scale), for each of the scales. */
  readonly logCosh: readonly number[];
  readonly smallest: number;
  readonly largest: number;
}

export const noScalesEvidence: ScalesEvidence = {
  blocks: 0,
  sum: 0,
  logCosh: scales.map(() => 0),
  smallest: Infinity,
  largest: -Infinity,
};

/** The evidence after one more block; `difference` is d − shift. */
export function addToScales(evidence: ScalesEvidence, difference: number): ScalesEvidence {
  const size = Math.abs(difference);
  return {
    blocks: evidence.blocks + 1,
    sum: evidence.sum + difference,
    logCosh: evidence.logCosh.map((sum, index) => {
      const y = size / (scales[index] ?? NaN);
      return sum + y + Math.log1p(Math.exp(-2 * y)) - Math.LN2;
    }),
    smallest: Math.min(evidence.smallest, difference),
    largest: Math.max(evidence.largest, difference),
  };
}

/** Returns whether it rejects the shift at error rate α, from one side. */
export function scalesReject(
  { blocks, logCosh, ...seen }: ScalesEvidence,
  { side, alpha }: { readonly side: 'above' | 'below'; readonly alpha: number },
): boolean {
  const sum = side === 'above' ? seen.sum : -seen.sum;
  const bets = scales.map((scale, index) => Math.exp(sum / scale - (logCosh[index] ?? NaN)));
  const mean = bets.reduce((total, bet) => total + bet, 0) / scales.length;
  const isOneSided = side === 'above' ? seen.smallest > 0 : seen.largest < 0;
  const signs = isOneSided ? 2 ** blocks : 0;
  return ((1 - signWeight) * mean + signWeight * signs) / 2 >= 1 / alpha;
}

/** Count, mean and Σ(x − mean)² of one group. */
export interface GroupMoments {
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
}

export const noValues: GroupMoments = { count: 0, mean: 0, squares: 0 };

/** The moments after one more value (Welford 1962). */
export function addValue({ count, mean, squares }: GroupMoments, value: number): GroupMoments {
  const step = value - mean;
  const next = mean + step / (count + 1);
  return { count: count + 1, mean: next, squares: squares + step * (value - next) };
}

/**
 * Two-sided p-value of Welch's t-test for a difference of means.
 *
 * The farm decides nothing by it: it is the reference for `decide`. It assumes independent, nearly
 * normal values and *one* look at a size fixed in advance; with repeated looks it reports false
 * differences, as the tests show.
 *
 * Source: Welch (1947), Biometrika 34:28–35; degrees of freedom by Satterthwaite (1946). Smallest
 * n: 2 values in each group.
 * @throws StatisticsRefusal `too-few`.
 */
export function welchP(a: GroupMoments, b: GroupMoments): number {
  if (a.count < 2 || b.count < 2) {
    throw new StatisticsRefusal('too-few', "Welch's test needs two values in each group.");
  }
  const ofA = a.squares / (a.count - 1) / a.count;
  const ofB = b.squares / (b.count - 1) / b.count;
  const variance = ofA + ofB;
  if (variance === 0) return a.mean === b.mean ? 1 : 0;
  const degrees = variance ** 2 / (ofA ** 2 / (a.count - 1) + ofB ** 2 / (b.count - 1));
  return studentTwoSidedP((a.mean - b.mean) / Math.sqrt(variance), degrees);
}
