/**
 * The test that the farm had before, kept for comparison: bets 1 + tanh(λd) mixed over eleven scales
 * 1 / λ = 0.5 %, 1 %, … 512 %, with a share of 0.16 for "always the same sign". It adapts to the noise,
 * and holds only where d is symmetric: of a ratio of two series that differ in shape it promises
 * nothing.
 */
const scales = Array.from({ length: 11 }, (_, doublings) => 0.005 * 2 ** doublings);
const signWeight = 0.16;

export interface ScalesEvidence {
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

/** Whether it rejects the shift at error rate α, from one side. */
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
