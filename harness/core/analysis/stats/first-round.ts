import { sum } from 'simple-statistics';
import { requirePositive, StatisticsRefusal } from './refusal.ts';

/**
 * How the bet on a first round is divided: `roundParts[k]` for "all of one side lie beyond all but
 * k of the other", and, if k is above 0, as much for "all but k of one side lie beyond all of the
 * other". 5 blocks are enough if no trial is out of place (half of the capital, on one of two sides:
 * 0.5 / 2 · (0.4 · 252 + 0.4 · 42 + 0.2 · 12) = 30), and 9 if the machine slowed down one.
 */
const roundParts = [0.4, 0.2, 0.1];

/** The blocks of which all trials were put in one random order, instead of block by block. */
export interface FirstRound {
  /** Number of first differences that belong to it. No look lies before its end. */
  readonly blocks: number;
  /** Its values so far, only if the sides are alike: see `spanOf`. */
  readonly values?: { readonly a: readonly number[]; readonly b: readonly number[] };
}

/** A bet on the order of a first round of alike sides: it is won at the shifts on one side of a bound. */
export interface RoundBet {
  /** A bet on `above` is won at the shifts below it, one on `below` at those above it. */
  readonly bound: number;
  /** Its share of R times its odds. */
  readonly gain: number;
}

export interface RoundEvidence {
  /** It gives no evidence before this number of blocks. */
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
 * grows with the shift, because each of its events ends at one bound. 5 blocks make odds of 252, 42
 * and 12; 3 make 20, 5 and 2.
 *
 * Assumptions: the order of all 2m trials was drawn as one; the sides are alike: they would give
 * the same values in the same time slots except for a common factor. For sides that are not alike
 * it may be far wrong: if one of them scatters much more than the other, it lies wholly on one side
 * of it with a probability of up to 2^−m, 1 in 32, though the medians are equal.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `unequal-lengths`.
 */
export function computeRoundEvidence({ blocks, values }: FirstRound): RoundEvidence | null {
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

/** ln R: of the odds on what a round shows, those that were won at this shift. */
export function logOfRound(round: RoundEvidence, side: 'above' | 'below', shift: number): number {
  const isWon = ({ bound }: RoundBet): boolean =>
    side === 'above' ? shift < bound : shift > bound;
  return Math.log(sum(round[side].filter(isWon).map(({ gain }) => gain)));
}

/** The evidence of a first round whose sides lie apart at every shift. */
export function surelyApart(blocks: number): RoundEvidence {
  const apart = Array.from({ length: blocks }, () => Infinity);
  const together = apart.map(() => 0);
  return { blocks, above: roundBets(apart, together, blocks), below: [] };
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
