import { requireLevel } from '../../core/analysis/stats/refusal.ts';

/**
 * The strengths κ of the bets on ranks: a weak one where the noise is as large as the step, a strong
 * one where the times lie apart. They are fixed before any time is seen, and share the capital alike.
 */
const strengths = [0.3, 0.8, 2];

/** The share of its capital that a bet keeps back in each block: no single block ends it. */
const reserve = 0.05;

/** ln of the time of each commit of a round in one block, in their order; null where it has none. */
export type BlockTimes = readonly (number | null)[];

export interface StepQuestion {
  /** How many commits a round has, its two ends among them. */
  readonly commits: number;
  /** ln(last / first), as it was measured before. */
  readonly step: number;
  /** The probability that the gap with the step is ruled out, over all looks. */
  readonly alpha: number;
}

/** Places of two commits of a round: the step lies after `first`, and at `last` or before it. */
export interface Gap {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the neighbours among the commits of a round between which one step lies: the smallest range
 * that holds every gap that the blocks do not rule out. It may be asked after every block.
 *
 * A gap g says of each commit whether it is like the good end or like the bad one. If that is true,
 * and half of the step is taken away from those like the bad end, they are still no faster than
 * those like the good end, because the step is the whole. So of the commits that another gap h
 * calls otherwise, the ranks in their block are no further towards h than chance would have it: the
 * order inside a block is drawn at random. For m such commits among n, with ranks r,
 *
 *     exp(κ Σ r) / mean over all choices of m ranks of exp(κ Σ r)
 *
 * has an expectation of at most 1 (an exchangeability e-value: Vovk & Wang 2021, Ann. Statist.
 * 49:1736–1754), and so have its product over blocks and the mean over h and κ. By Ville's inequality
 * the true gap is ever ruled out with a probability of at most α: no correction for the number of
 * gaps, as only one of them is true. All commits of a block take part in every bet. A commit that is
 * clearly apart from n − 1 others multiplies the capital by almost n, where a pair at best doubles it.
 *
 * Assumptions: noise multiplies the time of each commit alike; the step is at least half of what was
 * measured before. Where there are several steps the true gap is the one with which more than half of
 * their sum is there. If every gap is ruled out, as where two steps are alike, the least unlikely is
 * taken. A wrong answer costs time and names no commit: the one that is found is compared with its
 * parent in fresh blocks.
 */
export function findGap(
  blocks: readonly BlockTimes[],
  { commits, step, alpha }: StepQuestion,
): Gap {
  requireLevel(alpha, 'error rate');
  const evidence = Array.from({ length: commits - 1 }, (_, gap) =>
    logEvidence(blocks, { gap, step, gaps: commits - 1 }),
  );
  const open = evidence.flatMap((one, gap) => (one < -Math.log(alpha) ? [gap] : []));
  const [first = evidence.indexOf(Math.min(...evidence)), last = first] = [open[0], open.at(-1)];
  return { first, last: last + 1 };
}

interface GapQuestion {
  /** The place of the last commit that is like the good end. */
  readonly gap: number;
  readonly step: number;
  readonly gaps: number;
}

/** ln of the evidence against one gap. */
function logEvidence(blocks: readonly BlockTimes[], { gap, step, gaps }: GapQuestion): number {
  const others = Array.from({ length: gaps }, (_, other) => other).filter((one) => one !== gap);
  if (others.length === 0) return 0;
  const sign = Math.sign(step);
  const bets: (readonly number[])[] = others.map(() => strengths.map(() => 0));
  for (const block of blocks) {
    const ranks = rank(
      block.map((time, place) =>
        time === null ? null : sign * time - (place > gap ? Math.abs(step) / 2 : 0),
      ),
    );
    others.forEach((other, index) => {
      bets[index] = addBlock(bets[index] ?? [], ranks, { gap, other });
    });
  }
  const all = bets.flat();
  return logSum(all) - Math.log(all.length);
}

/** The bets of one alternative after one more block. */
function addBlock(
  sums: readonly number[],
  ranks: readonly (number | null)[],
  { gap, other }: { readonly gap: number; readonly other: number },
): readonly number[] {
  const isSlower = other < gap;
  const [from, to] = isSlower ? [other, gap] : [gap, other];
  const given = ranks.filter((one) => one !== null);
  const middle = (given.length + 1) / 2;
  const own = ranks.filter((one, place) => one !== null && place > from && place <= to);
  if (own.length === 0 || own.length === given.length) return sums;
  return sums.map((sum, index) => {
    const strength = (strengths[index] ?? 0) * (isSlower ? 1 : -1);
    // Around their middle, so that no power overflows.
    const weigh = (one: number | null): number => Math.exp(strength * ((one ?? middle) - middle));
    const gain =
      own.reduce((product: number, one) => product * weigh(one), 1) /
      meanProduct(given.map(weigh), own.length);
    return sum + Math.log(reserve + (1 - reserve) * gain);
  });
}

/** The mean over all choices of `size` of these of their product. */
function meanProduct(weights: readonly number[], size: number): number {
  // means[k] is that of the choices of k among those seen so far.
  const means = [1, ...Array.from({ length: size }, () => 0)];
  weights.forEach((weight, seen) => {
    for (let k = Math.min(size, seen + 1); k > 0; k -= 1) {
      const share = k / (seen + 1);
      means[k] = (1 - share) * (means[k] ?? 0) + share * weight * (means[k - 1] ?? 0);
    }
  });
  return means[size] ?? 1;
}

/** Ranks from 1; equal values share the mean of theirs. */
function rank(values: readonly (number | null)[]): readonly (number | null)[] {
  return values.map((value) => {
    if (value === null) return null;
    const below = values.filter((one) => one !== null && one < value).length;
    const equal = values.filter((one) => one === value).length;
    return below + (equal + 1) / 2;
  });
}

/** ln Σ exp(x), without overflow. */
function logSum(logarithms: readonly number[]): number {
  const largest = Math.max(...logarithms);
  return largest + Math.log(logarithms.reduce((sum, x) => sum + Math.exp(x - largest), 0));
}
