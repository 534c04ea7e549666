import { smallestBlocks } from '../stats/mixture-test.ts';

/**
 * The formula of the farm's design, kept for comparison with the test that took its place: the
 * mixture of exp(λS − λ²V/2) over λ ~ N(0, 1/scale²), in closed form
 *     (1 + V/scale²)^(−1/2) · exp(S² / scale² / (2 (1 + V/scale²))),
 * averaged over four scales (Robbins 1970; de la Peña 1999), with the same share of 0.16 for
 * "always the same sign" that the farm's test has. S = Σd, V = Σd².
 */
export interface DesignSums {
  readonly blocks: number;
  readonly sum: number;
  readonly squares: number;
  readonly smallest: number;
  readonly largest: number;
}

export const noSums: DesignSums = {
  blocks: 0,
  sum: 0,
  squares: 0,
  smallest: Infinity,
  largest: -Infinity,
};

/** The sums after one more block. */
export function addToSums(sums: DesignSums, difference: number): DesignSums {
  return {
    blocks: sums.blocks + 1,
    sum: sums.sum + difference,
    squares: sums.squares + difference ** 2,
    smallest: Math.min(sums.smallest, difference),
    largest: Math.max(sums.largest, difference),
  };
}

/** Whether the design's formula rejects equality at error rate α. */
export function designRejects(sums: DesignSums, alpha: number): boolean {
  if (sums.blocks < smallestBlocks(alpha)) return false;
  const mixtures = [0.005, 0.02, 0.08, 0.32].map((scale) => {
    const s = sums.sum / scale;
    const v = sums.squares / scale ** 2;
    return Math.exp((s * (s / (1 + v)) - Math.log1p(v)) / 2);
  });
  const isOneSided = sums.smallest > 0 || sums.largest < 0;
  const signs = isOneSided ? 2 ** (sums.blocks - 1) : 0;
  const mean = mixtures.reduce((total, mixture) => total + mixture, 0) / mixtures.length;
  return 0.84 * mean + 0.16 * signs >= 1 / alpha;
}
