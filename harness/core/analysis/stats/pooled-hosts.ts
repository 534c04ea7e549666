import { mean, sampleStandardDeviation, sum } from 'simple-statistics';
import type { Verdict } from '../../results/verdicts.ts';
import { logInterval, type LogInterval } from './ratio-interval.ts';
import { requireLevel } from './refusal.ts';
import { studentTwoSidedQuantile } from './student-t.ts';
import type { BlockPair } from './typical-ratio.ts';
import {
  type Comparison,
  decide,
  type Decision,
  type DecisionRules,
  defaultAlpha,
  defaultMargin,
  ownLevel,
  verdictOn,
} from './verdict.ts';

/** One comparison as a host measured it: a stratum with its own blocks. */
export interface HostComparison {
  readonly host: string;
  readonly comparison: Comparison;
}

/** How a host stands alone. */
export interface HostDecision {
  readonly host: string;
  readonly decision: Decision;
}

export interface Bounds {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export interface PooledDecision {
  /** Verdict on `a`, compared with `b`, over the hosts. */
  readonly verdict: Verdict;
  /** One ratio for all hosts, from the evidence of all. */
  readonly pooled: Decision;
  readonly hosts: readonly HostDecision[];
  /** It is shown that no single ratio holds on all hosts. */
  readonly differ: boolean;
  /** A host lies beyond the margin, so that the others' equivalence is not the fleet's. */
  readonly outlier: boolean;
  /** The mean ratio of hosts like these (random effects); null with one host, or too few blocks. */
  readonly likeThese: Bounds | null;
}

/**
 * Puts the blocks of several hosts into one comparison, round by round: the first block of each host,
 * then the second of each. A bet of `logEValue` then wins the product of what it wins on each host:
 * e-values of independent strata multiply. The product is taken stake by stake, and the mean over the
 * stakes after it, so that the price of not knowing the best stake is paid once instead of per host.
 *
 * Assumption: the coin of a block is independent of all other hosts. Then each factor has the
 * expectation 1 given all blocks of all hosts before it, whichever host is ahead: under "no host has a
 * difference" it is a test martingale at any time. Where hosts differ, and each gives as many blocks,
 * it is one for their mean ψ as well: Π (1 + λψᵢ) ≤ (1 + λ mean ψ)ᵏ.
 *
 * The order of first rounds of alike sides is not used as evidence. The means are in units of the host's
 * own mean, since a slow machine would else outweigh the others. The share of the error rate is the
 * product of the shares: each host had its own choice.
 */
export function poolComparisons(comparisons: readonly Comparison[]): Comparison {
  const [first, ...others] = comparisons;
  if (first !== undefined && others.length === 0) return first;
  const rounds = Math.max(0, ...comparisons.map(({ differences }) => differences.length));
  const allMeans = comparisons.map(({ means }) => means);
  return {
    differences: Array.from({ length: rounds }, (_, round) => round).flatMap((round) =>
      comparisons.flatMap(({ differences }) => differences[round] ?? []),
    ),
    resolution: Math.max(0, ...comparisons.map(({ resolution = 0 }) => resolution)),
    share: comparisons.reduce((product, { share = 1 }) => product * share, 1),
    ...(allMeans.every((means) => means !== undefined) && { means: allMeans.flatMap(scaled) }),
  };
}

function scaled(pairs: readonly BlockPair[]): readonly BlockPair[] {
  if (pairs.length === 0) return [];
  const unit = mean(pairs.map(({ b }) => b));
  return pairs.map(({ a, b }) => ({ a: a / unit, b: b / unit }));
}

/**
 * Decides a comparison that several hosts measured. It may be called at any time, and measuring may stop
 * when it has a verdict: it rests on the evidence of the last look alone, and the order of the hosts'
 * blocks does not matter.
 *
 * `faster`, `slower`, `equivalent`: as `decide` says of the pooled blocks (`poolComparisons`).
 * `equivalent` asks besides that no host's own typical ratio lies beyond the margin. Where `differ`, the
 * pooled ratio belongs to no host: the verdict is then that of all hosts, each at α / k, or `undecided`.
 *
 * `differ`: the hosts' intervals at α / k have no point in common. Each covers its own ratio at every
 * look, so one ratio for all is called several with probability at most α.
 *
 * Hosts whose first round is not over give nothing yet. Smallest n: one host with one block.
 * @throws StatisticsRefusal `empty` without such a host; those of `decide`.
 */
export function decideHosts(
  hosts: readonly HostComparison[],
  rules: DecisionRules,
): PooledDecision {
  const { alpha = defaultAlpha, margin = defaultMargin } = rules;
  const begun = hosts.filter(({ comparison }) => isBegun(comparison));
  const atLast = { ...rules, alpha, margin, looks: 'last' } as const;
  const pooled = decide(poolComparisons(begun.map(({ comparison }) => comparison)), atLast);
  const decisions = begun.map(({ host, comparison }) => ({
    host,
    decision: decide(comparison, atLast),
  }));
  const together = begun.map(({ comparison }) => intervalAt(comparison, alpha / begun.length));
  const differ = areApart(together);
  const bound = Math.log1p(margin);
  const outlier = decisions.some(({ decision: { ratio } }) => Math.abs(Math.log(ratio)) > bound);
  const verdict = differ
    ? commonVerdict(together.map((one) => one && verdictOn(one, { better: rules.better, margin })))
    : pooled.verdict === 'equivalent' && outlier
      ? 'undecided'
      : pooled.verdict;
  const likeThese = randomEffects(
    begun.map(({ comparison }) => intervalAt(comparison, alpha / 2 / begun.length)),
    alpha / 2,
  );
  return { verdict, pooled, hosts: decisions, differ, outlier, likeThese };
}

export function isBegun({ differences, firstRound }: Comparison): boolean {
  return differences.length > 0 && differences.length >= (firstRound?.blocks ?? 0);
}

function intervalAt(comparison: Comparison, alpha: number): LogInterval | null {
  return logInterval(comparison.differences, ownLevel(comparison, alpha), comparison);
}

/** Returns whether no point lies in all of them; one that is null holds every point. */
function areApart(intervals: readonly (LogInterval | null)[]): boolean {
  const bounded = intervals.filter((one) => one !== null);
  const lowest = Math.max(...bounded.map(({ low }) => low));
  const highest = Math.min(...bounded.map(({ high }) => high));
  return lowest > highest;
}

function commonVerdict(verdicts: readonly (Verdict | null)[]): Verdict {
  const [first = null, ...others] = verdicts;
  return first !== null && others.every((one) => one === first) ? first : 'undecided';
}

/**
 * Returns the mean ratio μ of hosts like these, whose own log ratios θᵢ are normal around it, with
 * bounds that hold at any look with probability 1 − 2α for the given α.
 *
 * Two events may fail, each with probability at most α: Student's interval of the true θᵢ,
 * θ̄ ± t · s(θ) / √k with k − 1 degrees of freedom, which no look changes; and that each θᵢ lies in its
 * interval at every look. The bounds are those of the first over all θᵢ in the second. s is a seminorm,
 * so s(θ) ≤ s(middles) + √(Σ half widths² / (k − 1)).
 *
 * Assumption: the hosts were drawn from those that are meant. Few hosts say little about others: of
 * three, t is 6.2 at α = 0.025. Source of random effects: Hartung & Knapp (2001), Statist. Med. 20:3875,
 * of which this is the form that is valid whenever one stops. Smallest k: 2.
 */
function randomEffects(intervals: readonly (LogInterval | null)[], alpha: number): Bounds | null {
  requireLevel(alpha, 'error rate');
  const bounded = intervals.filter((one) => one !== null);
  const k = bounded.length;
  if (k < 2 || k < intervals.length) return null;
  const middles = bounded.map(({ low, high }) => (low + high) / 2);
  const squares = sum(bounded.map(({ low, high }) => ((high - low) / 2) ** 2));
  const spread = sampleStandardDeviation(middles) + Math.sqrt(squares / (k - 1));
  const room = (studentTwoSidedQuantile(1 - alpha, k - 1) * spread) / Math.sqrt(k);
  return {
    ratio: Math.exp(mean(middles)),
    low: Math.exp(mean(bounded.map(({ low }) => low)) - room),
    high: Math.exp(mean(bounded.map(({ high }) => high)) + room),
  };
}
