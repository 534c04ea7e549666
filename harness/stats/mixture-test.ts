import { requireFinite, requireLevel } from './refusal.ts';

/**
 * The scales of the bets, 1/λ, as shares: 0.5 %, 1 %, 2 %, … 512 %. The best one is about the mean
 * square of d divided by its mean, and between two of them at most a ninth of the exponent is lost.
 * The finest serves noise from 0.2 % on (below, verdicts come later, but none is wrong); the coarsest
 * serve the thousands of blocks by which 20 % noise is shown to be equivalent within 2 %. They are
 * fixed before any data is seen, which is what allows to average over them. `addDifference` relies on
 * each being twice the one before.
 */
const scales = Array.from({ length: 11 }, (_, doublings) => 0.005 * 2 ** doublings);
const coarsest = 5.12;

/**
 * Weight of the sign martingale in the average. It makes 8 blocks enough for a large difference at
 * α = 0.05 (0.16 · 2^7 = 20.48), and raises the threshold of the rest by a factor of 1 / 0.84.
 */
const signWeight = 0.16;

/** The start capital of 1 is halved between the sides and then shared out among the bets. */
const logScaleShare = Math.log((1 - signWeight) / scales.length / 2);
const logSignShare = Math.log(signWeight / 2);

/** Where the true log ratio lies, seen from a shift: what one half of the capital bets on. */
export type Side = 'above' | 'below';

/** All that the test needs to know of the blocks seen so far, for one shift. */
export interface Evidence {
  readonly blocks: number;
  /** Σ (d − shift). */
  readonly sum: number;
  /** Σ ln cosh((d − shift) / scale), for each of the scales. */
  readonly logCosh: readonly number[];
  readonly smallest: number;
  readonly largest: number;
}

export const noEvidence: Evidence = {
  blocks: 0,
  sum: 0,
  logCosh: scales.map(() => 0),
  smallest: Infinity,
  largest: -Infinity,
};

/** The evidence after one more block; `difference` is d − shift. */
export function addDifference(evidence: Evidence, difference: number): Evidence {
  // ln cosh y = |y| + ln(1 + exp(−2|y|)) − ln 2 cannot overflow. From each scale to the next finer
  // one |y| doubles, so exp(−2|y|) is squared: one call of exp serves them all.
  const logCosh = [...evidence.logCosh];
  let size = Math.abs(difference) / coarsest;
  let decay = Math.exp(-2 * size);
  for (let scale = scales.length - 1; scale >= 0; scale -= 1) {
    logCosh[scale] = (logCosh[scale] ?? 0) + size + Math.log1p(decay) - Math.LN2;
    size *= 2;
    decay *= decay;
  }
  return {
    blocks: evidence.blocks + 1,
    sum: evidence.sum + difference,
    logCosh,
    smallest: Math.min(evidence.smallest, difference),
    largest: Math.max(evidence.largest, difference),
  };
}

/**
 * The evidence of all blocks about one shift, a log ratio (0: the two series are equal).
 * @throws StatisticsRefusal `empty`, `not-finite`.
 */
export function evidenceOf(differences: readonly number[], shift = 0): Evidence {
  requireFinite(differences, 'block difference');
  return differences.reduce(
    (evidence, difference) => addDifference(evidence, difference - shift),
    noEvidence,
  );
}

/**
 * ln E, the evidence against "the two series differ by the log ratio `shift`".
 *
 * Assumption: given everything before it, x = d − shift is as likely to be +x as −x. The random
 * order inside a block gives exactly that, whatever the noise (heavy tails, modes, drift,
 * autocorrelation), as long as the noise belongs to the time slots and multiplies.
 *
 * Formula, for the side `above`; `below` is the same with −x.
 * (1) M_λ = Π (1 + tanh(λx)), λ > 0. No factor is negative, and tanh is odd and bounded, so that
 *     each has the expectation 1 given its past, without any condition on moments: M_λ is a
 *     nonnegative martingale that starts at 1. Because 1 + tanh y = exp(y) / cosh y and
 *     cosh y ≤ exp(y²/2), it is never below exp(λS − λ²V/2) of the same λ, S = Σx, V = Σx²
 *     (de la Peña 1999, Ann. Probab. 27, lemma 6.1), and far above it where wild blocks make V
 *     large: one with λx = 10 doubles the stake here, and takes a factor of exp(40) from it there.
 * (2) M_∞ = Π 2·[x > 0], the limit of (1): 2^n as long as all x are positive, else 0. Its factors
 *     have the expectation 2 P(x > 0) ≤ 1 (less than 1 only where ties occur).
 * A(shift) = ½ (0.84 · mean of M_λ over the scales + 0.16 · M_∞), B(shift) likewise of −x, and
 * E = A + B: a weighted mean, with weights fixed in advance, of (super)martingales that start at 1.
 * So E is one, whatever the two sides have to do with each other.
 *
 * By Ville's inequality (1939) E reaches 1/α at *any* time with probability at most α under the
 * hypothesis. E at a stopping time is an e-value, so it may go into `eBh`; its running maximum may
 * not. Smallest n: 0 (ln E = 0); it may reject from `smallestBlocks(α)` on.
 */
export function logEValue(evidence: Evidence): number {
  return logSum([logCapital(evidence, 'above'), logCapital(evidence, 'below')]);
}

/**
 * ln A or ln B of `logEValue`. In log space, because A itself overflows after some 1,000 blocks of a
 * clear difference; ln M_λ is λS − Σ ln cosh(λx) there, which serves both sides.
 *
 * As a function of the shift A never grows and B never falls, for each of their factors is
 * nonnegative and does so: the inversion in `logInterval` rests on that.
 */
export function logCapital(evidence: Evidence, side: Side): number {
  const { blocks, smallest, largest, logCosh } = evidence;
  const sum = side === 'above' ? evidence.sum : -evidence.sum;
  const bets = scales.map((scale, index) => logScaleShare + sum / scale - (logCosh[index] ?? NaN));
  const allOnIt = side === 'above' ? smallest > 0 : largest < 0;
  if (allOnIt) bets.push(logSignShare + blocks * Math.LN2);
  return logSum(bets);
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

/**
 * Whether the shift of this evidence is rejected at error rate α by what was seen so far: one side
 * alone reaches 1/α, as the interval asks for. The e-value, both sides together, gets there no later.
 */
export function rejects(evidence: Evidence, alpha: number): boolean {
  if (evidence.blocks < smallestBlocks(alpha)) return false;
  return (
    isRejected(evidence, { side: 'above', alpha }) || isRejected(evidence, { side: 'below', alpha })
  );
}

/** Whether the capital of one side reaches 1/α. Of that alone, at any time, the probability is ≤ α. */
export function isRejected(
  evidence: Evidence,
  { side, alpha }: { readonly side: Side; readonly alpha: number },
): boolean {
  return logCapital(evidence, side) >= -Math.log(alpha);
}

/** ln E after each block: element i is the look at the first i + 1 blocks. */
export function runningLogE(differences: readonly number[], shift = 0): number[] {
  requireFinite(differences, 'block difference');
  let evidence = noEvidence;
  return differences.map((difference) => {
    evidence = addDifference(evidence, difference - shift);
    return logEValue(evidence);
  });
}
