import { requireFinite, requireLevel } from './refusal.ts';

/**
 * Spreads of d (as shares: 0.5 %, 2 %, 8 %, 32 %) for which the mixture is sharpest. They are fixed
 * before any data is seen, which is what allows to average over them.
 */
const scales = [0.005, 0.02, 0.08, 0.32] as const;

/**
 * Weight of the sign martingale in the average. It makes 8 blocks enough for a large difference at
 * α = 0.05 (0.16 · 2^7 = 20.48), and raises the threshold of the rest by a factor of 1 / 0.84.
 */
const signWeight = 0.16;

/** All that the test needs to know of the block differences seen so far. */
export interface DifferenceMoments {
  readonly blocks: number;
  readonly mean: number;
  /** Σ (d − mean)². */
  readonly squares: number;
  readonly smallest: number;
  readonly largest: number;
}

export const noDifferences: DifferenceMoments = {
  blocks: 0,
  mean: 0,
  squares: 0,
  smallest: Infinity,
  largest: -Infinity,
};

/** The moments after one more block. Welford's update (1962), which loses no digits to cancellation. */
export function addDifference(moments: DifferenceMoments, difference: number): DifferenceMoments {
  const blocks = moments.blocks + 1;
  const step = difference - moments.mean;
  const mean = moments.mean + step / blocks;
  return {
    blocks,
    mean,
    squares: moments.squares + step * (difference - mean),
    smallest: Math.min(moments.smallest, difference),
    largest: Math.max(moments.largest, difference),
  };
}

/** @throws StatisticsRefusal `empty`, `not-finite`. */
export function differenceMoments(differences: readonly number[]): DifferenceMoments {
  requireFinite(differences, 'block difference');
  return differences.reduce(addDifference, noDifferences);
}

/**
 * ln E, the evidence against "the two series differ by the log ratio `shift`" (0: they are equal).
 *
 * Assumption: given everything before it, d − shift is as likely to be +x as −x. The random order
 * inside a block gives exactly that, whatever the noise (heavy tails, modes, drift,
 * autocorrelation), as long as the noise belongs to the time slots and multiplies.
 *
 * Formula. Let S = Σ(d − shift), V = Σ(d − shift)².
 * (1) For a fair sign and any λ, E exp(λd − λ²d²/2) = cosh(λ|d|) exp(−λ²d²/2) ≤ 1, so
 *     exp(λS − λ²V/2) is a supermartingale (de la Peña 1999, Ann. Probab. 27, lemma 6.1); so is its
 *     mean over λ ~ N(0, ρ²) (Robbins 1970), which is
 *         E_ρ = (1 + ρ²V)^(−1/2) exp(ρ²S² / (2 (1 + ρ²V))).
 *     It is sharpest where the spread of d is about 1/ρ; `mixtureLogE` averages over four scales.
 * (2) Betting each time on the sign of the first block doubles the stake or loses it:
 *         M = 2^(n−1) if all of d − shift have one strict sign, else 0.
 *     (1) alone never rejects shifts that are *absurdly* far away, because its first factor falls
 *     without bound; (2) rejects everything outside the range of the data.
 * E = 0.84 · mean of (1) + 0.16 · (2). A weighted mean of supermartingales that start at 1 is one.
 *
 * By Ville's inequality (1939) E reaches 1/α at *any* time with probability at most α under the
 * hypothesis. E at a stopping time is an e-value, so it may go into `eBh`; its running maximum may
 * not. Smallest n: 0 (ln E = 0); it can reject from `smallestBlocks(α)` on.
 */
export function logEValue(moments: DifferenceMoments, shift = 0): number {
  const { blocks, smallest, largest } = moments;
  if (blocks === 0) return 0;
  const mixture = mixtureLogE(moments, shift);
  const oneSided = shift < smallest || shift > largest;
  if (!oneSided) return mixture;
  return logSum([mixture, Math.log(signWeight) + (blocks - 1) * Math.LN2]);
}

/**
 * Part (1) of `logEValue` with its weight: ln(0.84 · mean of E_ρ over the four scales). In log space
 * because E itself overflows after some 1,500 blocks of a clear difference.
 */
export function mixtureLogE(moments: DifferenceMoments, shift: number): number {
  const { blocks, mean, squares } = moments;
  const distance = mean - shift;
  const sum = blocks * distance;
  const variation = squares + blocks * distance * distance;
  const components = scales.map((scale) => componentLogE(sum, variation, scale));
  return logSum(components) + Math.log((1 - signWeight) / scales.length);
}

function componentLogE(sum: number, variation: number, scale: number): number {
  // ρ = 1 / scale; S and V are divided by the scale first, so that no square overflows on its own.
  const s = sum / scale;
  const v = variation / scale / scale;
  return (s * (s / (1 + v)) - Math.log1p(v)) / 2;
}

/** ln Σ exp(x), without overflow. */
function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms);
  return largest + Math.log(logarithms.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

/**
 * The fewest blocks after which a verdict is possible: the smallest n with 0.16 · 2^(n−1) ≥ 1/α,
 * at which every shift outside the range of the data is rejected. 8 for α = 0.05, 11 for 0.01.
 * No exact test on signs could do with fewer than 1 + log2(1/α) = 6.
 */
export function smallestBlocks(alpha: number): number {
  requireLevel(alpha, 'error rate');
  // A hair is taken off, so that a product that is 1/α but for rounding does not cost a block.
  return Math.max(2, Math.ceil(1 + Math.log2(1 / (alpha * signWeight)) - 1e-9));
}

/** Whether equality (or the given shift) is rejected at error rate α by what was seen so far. */
export function rejects(moments: DifferenceMoments, alpha: number, shift = 0): boolean {
  return moments.blocks >= smallestBlocks(alpha) && logEValue(moments, shift) >= -Math.log(alpha);
}

/** ln E after each block: element i is the look at the first i + 1 blocks. */
export function runningLogE(differences: readonly number[], shift = 0): number[] {
  requireFinite(differences, 'block difference');
  let moments = noDifferences;
  return differences.map((difference) => {
    moments = addDifference(moments, difference);
    return logEValue(moments, shift);
  });
}
