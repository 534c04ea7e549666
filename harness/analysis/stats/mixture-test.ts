import { requireFinite, requireLevel, requirePositive, StatisticsRefusal } from './refusal.ts';
import { psi } from './typical-ratio.ts';

/**
 * The shares λ of its capital that a bet stakes on each block; the last one stakes all. The best
 * one is about the mean of ψ divided by its mean square: 1/32 for 2 % where a trial scatters by 40
 * %. They are fixed before any data is seen, which allows averaging over them.
 */
const stakes = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1];

/**
 * Weights in the average. With 0.32 for the bet that stakes all, 7 blocks are enough for a large
 * difference at α = 0.05 (0.32 / 2 · 2^7 = 20.48). Alike sides divide that: with 0.16 for the first
 * round, 5 blocks are enough (0.16 / 2 · 252 = 20.16).
 */
const boldWeight = 0.32;
const roundWeight = 0.16;

/** The initial capital of 1 is halved between the sides and then divided among the bets. */
const logRoundShare = Math.log(roundWeight / 2);
const logShares = logSharesOf(boldWeight);
const logSharesBesideRound = logSharesOf(boldWeight - roundWeight);

function logSharesOf(bold: number): readonly number[] {
  const cautious = (1 - boldWeight) / (stakes.length - 1);
  return stakes.map((stake) => Math.log((stake === 1 ? bold : cautious) / 2));
}

/** The side of a shift on which the true log ratio lies: what one half of the capital bets on. */
export type Side = 'above' | 'below';

/** The state of the test for one shift after the blocks seen so far. */
export interface Evidence {
  readonly shift: number;
  readonly blocks: number;
  /** Σ ln(1 + λψ), for each of the stakes. */
  readonly above: readonly number[];
  /** Σ ln(1 − λψ). */
  readonly below: readonly number[];
  /** The span of a first round of alike sides; null without one. */
  readonly span: Span | null;
}

/** Returns the evidence about a shift before the first block. */
export function emptyEvidence(shift = 0, span: Span | null = null): Evidence {
  const none = stakes.map(() => 0);
  return { shift, blocks: 0, above: none, below: none, span };
}

/** The evidence about equality, for sides without a first round. */
export const noEvidence = emptyEvidence();

/** Returns the evidence after one more block; `difference` is d − shift. */
export function addDifference(evidence: Evidence, difference: number): Evidence {
  const size = psi(difference);
  return {
    ...evidence,
    blocks: evidence.blocks + 1,
    above: evidence.above.map((sum, bet) => sum + Math.log1p(size * (stakes[bet] ?? NaN))),
    below: evidence.below.map((sum, bet) => sum + Math.log1p(-size * (stakes[bet] ?? NaN))),
  };
}

/**
 * Returns the evidence of all blocks about one shift, a log ratio (0: the two series are equal).
 * @throws StatisticsRefusal `empty`, `not-finite`.
 */
export function evidenceOf(
  differences: readonly number[],
  shift = 0,
  span: Span | null = null,
): Evidence {
  requireFinite(differences, 'block difference');
  const sizes = differences.map((difference) => psi(difference - shift));
  const sumOf = (stake: number): number => logProduct(sizes, stake);
  return {
    shift,
    blocks: differences.length,
    above: stakes.map(sumOf),
    below: stakes.map((stake) => sumOf(-stake)),
    span,
  };
}

/** Σ ln(1 + λψ), with a logarithm only when the product leaves the range of a double. */
function logProduct(sizes: readonly number[], stake: number): number {
  let sum = 0;
  let product = 1;
  for (const size of sizes) {
    product *= 1 + stake * size;
    if (product < 1e-200 || product > 1e200) {
      sum += Math.log(product);
      product = 1;
    }
  }
  return sum + Math.log(product);
}

/**
 * Returns ln E, the evidence against "the typical log ratio is `shift`": against E ψ(d − shift) =
 * 0, where ψ(x) = x / 1 % between −1 and 1, and −1 or 1 beyond.
 *
 * Assumption: given everything before it, the expectation of ψ is 0. Two things give that.
 * - Shift 0, and the order inside a block drawn at random: then d is as likely +x as −x for two
 *   series that are the same, whatever the machine does (drift, memory, modes, heavy tails).
 * - Any shift, and blocks that are independent and alike: E ψ = 0 is what "typical" means, whatever
 *   the shapes of the two series. Of symmetric d it is the centre.
 *
 * Formula, for the side `above`; `below` is the same with −ψ.
 * (1) M_λ = Π (1 + λψ), 0 < λ ≤ 1. No factor is negative, as |λψ| ≤ 1, and each has the expectation 1
 *     given its past: M_λ is a nonnegative martingale that starts at 1, without any condition on
 *     moments (betting: Waudby-Smith & Ramdas 2024, JRSS B 86:1–27).
 * (2) Of alike sides, once their first round of m blocks is complete: C(2m, m) if the shift lies below
 *     ln(min a / max b), else 0; 1 before. Its expectation is at most 1: see `spanOf`.
 * A(shift) = ½ · weighted mean of them, with weights fixed in advance; B(shift) likewise of −ψ, and of
 * shifts above ln(max a / min b). E = A + B is a mean of (super)martingales that start at 1, so it is
 * one, whatever they have to do with each other.
 *
 * By Ville's inequality (1939) E reaches 1/α at *any* time with probability at most α under the
 * hypothesis. E at a stopping time is an e-value; its running maximum is none. Smallest n: 0
 * (ln E = 0); it may reject from `smallestBlocks(α)` on.
 */
export function logEValue(evidence: Evidence): number {
  return logSum([logCapital(evidence, 'above'), logCapital(evidence, 'below')]);
}

/**
 * Returns ln A or ln B of `logEValue`; in log space, because A itself overflows after some 1,000
 * blocks.
 *
 * As a function of the shift A never grows and B never falls, because each of their factors is
 * nonnegative and does so: the inversion in `logInterval` rests on that.
 */
export function logCapital(evidence: Evidence, side: Side): number {
  const { span } = evidence;
  const shares = span === null ? logShares : logSharesBesideRound;
  const bets = evidence[side].map((won, bet) => (shares[bet] ?? NaN) + won);
  if (span !== null) bets.push(logRoundShare + logOfRound(evidence, span, side));
  return logSum(bets);
}

function logOfRound({ shift, blocks }: Evidence, span: Span, side: Side): number {
  if (blocks < span.blocks) return 0;
  const isApart = side === 'above' ? shift < span.low : shift > span.high;
  return isApart ? span.logWays : -Infinity;
}

/** ln Σ exp(x), without overflow. */
function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms);
  return largest + Math.log(logarithms.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

/**
 * Returns the fewest blocks after which a verdict is possible: the smallest n at which bets that
 * were all won reach 1/α, so that distant shifts are rejected. 7 for α = 0.05, 10 for 0.01; for
 * alike sides with a first round of 5 blocks 5 and 10. No exact test on signs could do with fewer
 * than 1 + log2(1/α) = 6.
 *
 * @param alikeRound blocks of the first round, of alike sides.
 */
export function smallestBlocks(alpha: number, alikeRound = 0): number {
  requireLevel(alpha, 'error rate');
  const span = alikeRound === 0 ? null : surelyApart(alikeRound);
  let evidence = emptyEvidence(0, span);
  while (
    evidence.blocks < Math.max(2, alikeRound) ||
    !isRejected(evidence, { side: 'above', alpha })
  )
    evidence = addDifference(evidence, Infinity);
  return evidence.blocks;
}

function surelyApart(blocks: number): Span {
  return { blocks, low: Infinity, high: Infinity, logWays: logWaysOf(blocks) };
}

/**
 * Returns whether this evidence rejects its shift at error rate α: one side alone reaches 1/α, as
 * for the interval. The e-value, both sides together, gets there no later.
 */
export function rejects(evidence: Evidence, alpha: number): boolean {
  return (
    isRejected(evidence, { side: 'above', alpha }) || isRejected(evidence, { side: 'below', alpha })
  );
}

/**
 * Returns whether the capital of one side reaches 1/α. The probability that it ever does is at most
 * α.
 */
export function isRejected(
  evidence: Evidence,
  { side, alpha }: { readonly side: Side; readonly alpha: number },
): boolean {
  return logCapital(evidence, side) >= -Math.log(alpha);
}

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
function logWaysOf(blocks: number): number {
  let sum = 0;
  for (let i = 1; i <= blocks; i += 1) sum += Math.log((blocks + i) / i);
  return sum;
}

/** The span of the same values with the sides exchanged. */
export function mirroredSpan(span: Span): Span {
  return { ...span, low: 0 - span.high, high: 0 - span.low };
}
