import { sum } from 'simple-statistics';
import { requireFinite, requireLevel, requirePositive, StatisticsRefusal } from './refusal.ts';
import { psi } from './typical-ratio.ts';

/**
 * The shares λ of its capital that a bet stakes on each block; the last one stakes all. The best
 * one is about the mean of ψ divided by its mean square: 1/32 for 2 % where a trial scatters by 40
 * %. They are fixed before any data is seen, which allows averaging over them.
 */
const stakes = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1];

/**
 * Weight of the bet that stakes all: 7 blocks are enough for a large difference at α = 0.05
 * (0.32 / 2 · 2^7 = 20.48). The others share the rest.
 */
const boldWeight = 0.32;

/** Weight of the bet on a first round of alike sides, which takes the place of the bold one. */
const roundWeight = 0.5;

/**
 * How the bet on a first round is divided: `roundParts[k]` for "all of one side lie beyond all but
 * k of the other", and, if k is above 0, as much for "all but k of one side lie beyond all of the
 * other". 5 blocks are enough (0.5 / 2 · (0.4 · 252 + 0.4 · 42 + 0.2 · 12) = 30) if no trial is out
 * of place, and 9 if the machine slowed down one.
 */
const roundParts = [0.4, 0.2, 0.1];

/** After it the capital that it won is staked on the later blocks, in these shares. */
const laterWeights = [0.02, 0.04, 0.06, 0.1, 0.2, 0.33, 0.25];

/** The initial capital of 1 is halved between the sides and then divided among the bets. */
const logShares = logSharesOf(
  stakes.map((stake) => (stake === 1 ? boldWeight : cautious(boldWeight))),
);
const logSharesBesideRound = logSharesOf(
  stakes.map((stake) => (stake === 1 ? 0 : cautious(roundWeight))),
);
const logSharesAfterRound = logSharesOf(laterWeights.map((weight) => roundWeight * weight));

function cautious(taken: number): number {
  return (1 - taken) / (stakes.length - 1);
}

function logSharesOf(weights: readonly number[]): readonly number[] {
  return weights.map((weight) => Math.log(weight / 2));
}

/** The side of a shift on which the true log ratio lies: what one half of the capital bets on. */
export type Side = 'above' | 'below';

/** Sums over blocks, for each of the stakes. */
export interface Bets {
  /** Σ ln(1 + λψ). */
  readonly above: readonly number[];
  /** Σ ln(1 − λψ). */
  readonly below: readonly number[];
}

/** The state of the test for one shift after the blocks seen so far. */
export interface Evidence {
  readonly shift: number;
  readonly blocks: number;
  /** On all blocks. */
  readonly bets: Bets;
  /** On the blocks after a first round of alike sides. */
  readonly later: Bets;
  /** What such a round says; null without one. */
  readonly round: RoundEvidence | null;
}

const noBets: Bets = { above: stakes.map(() => 0), below: stakes.map(() => 0) };

/** Returns the evidence about a shift before the first block. */
export function emptyEvidence(shift = 0, round: RoundEvidence | null = null): Evidence {
  return { shift, blocks: 0, bets: noBets, later: noBets, round };
}

/** The evidence about equality, for sides without a first round. */
export const noEvidence = emptyEvidence();

/** Returns the evidence after one more block; `difference` is d − shift. */
export function addDifference(evidence: Evidence, difference: number): Evidence {
  const { blocks, bets, later, round } = evidence;
  const size = psi(difference);
  return {
    ...evidence,
    blocks: blocks + 1,
    bets: afterBlock(bets, size),
    later: round === null || blocks < round.blocks ? later : afterBlock(later, size),
  };
}

function afterBlock({ above, below }: Bets, size: number): Bets {
  return {
    above: above.map((sum, bet) => sum + Math.log1p(size * (stakes[bet] ?? NaN))),
    below: below.map((sum, bet) => sum + Math.log1p(-size * (stakes[bet] ?? NaN))),
  };
}

/**
 * Returns the evidence of all blocks about one shift, a log ratio (0: the two series are equal).
 * @throws StatisticsRefusal `empty`, `not-finite`.
 */
export function evidenceOf(
  differences: readonly number[],
  shift = 0,
  round: RoundEvidence | null = null,
): Evidence {
  requireFinite(differences, 'block difference');
  const sizes = differences.map((difference) => psi(difference - shift));
  return {
    shift,
    blocks: differences.length,
    bets: betsOn(sizes),
    later: round === null ? noBets : betsOn(sizes.slice(round.blocks)),
    round,
  };
}

function betsOn(sizes: readonly number[]): Bets {
  return {
    above: stakes.map((stake) => logProduct(sizes, stake)),
    below: stakes.map((stake) => logProduct(sizes, -stake)),
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
 * (2) R · M_λ of the blocks after a first round of alike sides, once that is complete; 1 before. Given
 *     all before it, a later factor has the expectation 1, and R at most 1: see `roundEvidenceOf`.
 * A(shift) = ½ · weighted mean of them, with weights fixed in advance; B(shift) likewise of −ψ. E = A +
 * B is a mean of supermartingales that start at 1, so it is one, whatever they have to do with each
 * other.
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
  const { bets, later, round, blocks, shift } = evidence;
  if (round === null) return logSum(weighed(logShares, bets[side]));
  const ofRound = blocks < round.blocks ? 0 : logOfRound(round, side, shift);
  const wonLater = weighed(logSharesAfterRound, later[side]).map((won) => ofRound + won);
  return logSum([...weighed(logSharesBesideRound, bets[side]), ...wonLater]);
}

function weighed(logWeights: readonly number[], sums: readonly number[]): readonly number[] {
  return sums.map((sum, bet) => (logWeights[bet] ?? NaN) + sum);
}

/** ln R: of the odds on what a round shows, those that were won at this shift. */
function logOfRound(round: RoundEvidence, side: Side, shift: number): number {
  const isWon = ({ bound }: RoundBet): boolean =>
    side === 'above' ? shift < bound : shift > bound;
  return Math.log(sum(round[side].filter(isWon).map(({ gain }) => gain)));
}

/** ln Σ exp(x), without overflow. */
function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms);
  return largest + Math.log(logarithms.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

/**
 * Returns the fewest blocks after which a verdict is possible: the smallest n at which bets that
 * were all won reach 1/α, so that distant shifts are rejected. 7 for α = 0.05, 10 for 0.01; for
 * alike sides with a first round of 5 blocks 5 and 8. No exact test on signs could do with fewer
 * than 1 + log2(1/α) = 6.
 *
 * @param alikeRound blocks of the first round, of alike sides.
 */
export function smallestBlocks(alpha: number, alikeRound = 0): number {
  requireLevel(alpha, 'error rate');
  const round = alikeRound === 0 ? null : surelyApart(alikeRound);
  let evidence = emptyEvidence(0, round);
  while (
    evidence.blocks < Math.max(2, alikeRound) ||
    !isRejected(evidence, { side: 'above', alpha })
  )
    evidence = addDifference(evidence, Infinity);
  return evidence.blocks;
}

function surelyApart(blocks: number): RoundEvidence {
  const apart = Array.from({ length: blocks }, () => Infinity);
  const together = apart.map(() => 0);
  return { blocks, above: roundBets(apart, together, blocks), below: [] };
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

/** What was bet on a first round of alike sides, and is won at shifts on one side of a bound. */
export interface RoundBet {
  /** A bet on `above` is won at the shifts below it, one on `below` at those above it. */
  readonly bound: number;
  /** Its share of R times its odds. */
  readonly gain: number;
}

export interface RoundEvidence {
  /** Before so many blocks it says nothing. */
  readonly blocks: number;
  readonly above: readonly RoundBet[];
  readonly below: readonly RoundBet[];
}

/**
 * Returns what a first round of alike sides shows. For the true shift θ, each of the C(2m, m) ways
 * to give the sides to 2m trials was equally likely, so that chance alone decides how the ranks of
 * a / exp(θ) and b lie. All of a lie above all but k of b (the k are those that a machine slowed
 * down), or all but k of a above all of b, in C(m + k, k) of them each. R is a mean of bets at
 * these odds, with the weights of `roundParts`: its expectation is at most 1 (ties lose). R never
 * grows with the shift, because each of its events ends at one bound. 5 blocks make odds of 252,
 * 42 and 12; 3 make 20, 5 and 2.
 *
 * Assumptions: the order of all 2m trials was drawn as one; the sides are alike: they would give
 * the same values in the same time slots but for a common factor. For sides that are not alike it
 * may be far wrong: if one of them scatters much more than the other, it lies wholly on one side of
 * it with a probability of up to 2^−m, 1 in 32, though the medians are equal.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `unequal-lengths`.
 */
export function roundEvidenceOf({ blocks, values }: FirstRound): RoundEvidence | null {
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
  const [logA, logB] = [logsOf(a), logsOf(b)];
  return {
    blocks,
    above: roundBets(logA, logB, blocks),
    below: turned(roundBets(logB, logA, blocks)),
  };
}

function logsOf(values: readonly number[]): readonly number[] {
  return values.map((value) => Math.log(value));
}

/** The bets that all of one side, or all but a few, lie above the other. */
function roundBets(
  upper: readonly number[],
  lower: readonly number[],
  blocks: number,
): readonly RoundBet[] {
  const rising = upper.toSorted((x, y) => x - y);
  const falling = lower.toSorted((x, y) => y - x);
  const apart = (i: number, k: number): number =>
    (rising[i] ?? Infinity) - (falling[k] ?? -Infinity);
  return roundParts.flatMap((part, k) => {
    const gain = part * oddsOf(blocks, k);
    const bounds = k === 0 ? [apart(0, 0)] : [apart(0, k), apart(k, 0)];
    return bounds.map((bound) => ({ bound, gain }));
  });
}

/** C(2m, m) / C(m + k, k) = Π (m + i) / i over i = k + 1 … m. */
function oddsOf(m: number, k: number): number {
  let odds = 1;
  for (let i = k + 1; i <= m; i += 1) odds *= (m + i) / i;
  return odds;
}

/** The same values with the sides exchanged. */
export function mirroredRound({ blocks, above, below }: RoundEvidence): RoundEvidence {
  return { blocks, above: turned(below), below: turned(above) };
}

/** Subtracted from 0 to avoid −0, which comparisons treat as another number. */
function turned(bets: readonly RoundBet[]): readonly RoundBet[] {
  return bets.map(({ bound, gain }) => ({ bound: 0 - bound, gain }));
}
