import { logOfRound, type RoundEvidence, surelyApart } from './first-round.ts';
import { requireFinite, requireLevel } from './refusal.ts';
import { psi } from './typical-ratio.ts';

/**
 * The shares λ of its capital that a bet stakes on each block; the last one stakes all. The best
 * one is about the mean of ψ divided by its mean square: 1/32 for 2 % where a trial scatters by 40
 * %. They are fixed before any data is seen, which allows averaging over them.
 */
const stakes = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1];

/**
 * Weight of the bet that stakes all: 6 blocks, the fewest that any test on signs takes, are enough for
 * a large difference at α = 0.05 (0.63 / 2 · 2^6 = 20.2), and 10 for one of the 16 rows of a table.
 */
const boldWeight = 0.63;

/** Weights of the others: a difference of the size of the noise takes the smaller stakes. */
const cautiousWeights = [0.03, 0.04, 0.06, 0.08, 0.08, 0.08];

/**
 * Weight of the bets on the order of a first round of alike sides (`first-round.ts`), which take the
 * place of the bold one.
 */
const roundWeight = 0.5;

/** The shares in which what they won is staked on the blocks after the round. */
const laterWeights = [0.02, 0.04, 0.06, 0.1, 0.2, 0.33, 0.25];

/** The initial capital of 1 is halved between the sides and then divided among the bets. */
const logShares = logSharesOf([...cautiousWeights, boldWeight]);
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
  /** The bets on the order of such a round; null without any. */
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
export function computeEvidence(
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
 * series that are the same, under any behaviour of the machine does (drift, memory, modes, heavy
 * tails).
 * - Any shift, and blocks that are independent and alike: E ψ = 0 is what "typical" means,
 * for any shapes of the two series. Of symmetric d it is the centre.
 *
 * Formula, for the side `above`; `below` is the same with −ψ. (1) M_λ = Π (1 + λψ), 0 < λ ≤ 1. No
 * factor is negative, as |λψ| ≤ 1, and each has the expectation
 *     1 given its past: M_λ is a nonnegative martingale that starts at 1, without any condition on
 *     moments (betting: Waudby-Smith & Ramdas 2024, JRSS B 86:1–27).
 * (2) R · M_λ of the blocks after a first round of alike sides, once that is complete; 1 before.
 *     Given everything before it, a later factor has the expectation 1, and R at most 1: see
 *     `computeRoundEvidence`.
 * A(shift) = ½ · weighted mean of them, with weights fixed in advance; B(shift) likewise of −ψ. E =
 * A + B is a mean of supermartingales that start at 1, so it is one, for any dependence between
 * them.
 *
 * By Ville's inequality (1939) E reaches 1/α at *any* time with probability at most α under the
 * hypothesis. E at a stopping time is an e-value; its running maximum is not. Smallest n: 0 (ln E =
 * 0); it may reject from `smallestBlocks(α)` on.
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

/**
 * The capital of one side of a shift as blocks come, for simulations of many futures: that of
 * `logCapital`, without a logarithm for each block.
 */
export class RunningCapital {
  readonly #sign: number;
  readonly #gainOfRound: number;
  readonly #roundBlocks: number;
  readonly #shift: number;
  readonly #bets: number[];
  readonly #later: number[];
  #blocks: number;

  constructor({ bets, later, round, blocks, shift }: Evidence, side: Side) {
    this.#sign = side === 'above' ? 1 : -1;
    this.#shift = shift;
    this.#blocks = blocks;
    this.#roundBlocks = round?.blocks ?? Infinity;
    this.#gainOfRound = round === null ? 0 : Math.exp(logOfRound(round, side, shift));
    const shares = round === null ? logShares : logSharesBesideRound;
    this.#bets = weighed(shares, bets[side]).map(Math.exp);
    this.#later = round === null ? [] : weighed(logSharesAfterRound, later[side]).map(Math.exp);
  }

  /** Takes ln(a / b) of a block. */
  add(difference: number): void {
    const size = this.#sign * psi(difference - this.#shift);
    multiply(this.#bets, size);
    if (this.#blocks >= this.#roundBlocks) multiply(this.#later, size);
    this.#blocks += 1;
  }

  /** Infinite where it leaves the range of a double. */
  get total(): number {
    const gain = this.#blocks < this.#roundBlocks ? 1 : this.#gainOfRound;
    return add(this.#bets) + gain * add(this.#later);
  }
}

function multiply(capitals: number[], size: number): void {
  for (let bet = 0; bet < capitals.length; bet += 1) {
    capitals[bet] = (capitals[bet] ?? NaN) * (1 + (stakes[bet] ?? NaN) * size);
  }
}

function add(capitals: readonly number[]): number {
  let total = 0;
  for (const capital of capitals) total += capital;
  return total;
}

/** ln Σ exp(x), without overflow. */
function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms);
  return largest + Math.log(logarithms.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}

/**
 * Returns the fewest blocks after which a verdict is possible: the smallest n at which bets that
 * were all won reach 1/α, so that distant shifts are rejected. 6 for α = 0.05, 9 for 0.01; for
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
