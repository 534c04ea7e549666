import type { Metric } from '../../model/case.ts';
import type { Indecision, Verdict } from '../../results/verdicts.ts';
import { type RoundEvidence, computeRoundEvidence } from './first-round.ts';
import {
  findDoubt,
  exponential,
  logMeanCapital,
  type MeanBounds,
  type MeanRatio,
  meanRatio,
  moreOfMeans,
} from './mean-ratio.ts';
import { computeEvidence, logCapital, logEValue, type Side } from './mixture-test.ts';
import { differenceFrom, moreBlocksNeeded } from './projection.ts';
import {
  type Circumstances,
  excludes,
  holds,
  isWithin,
  logInterval,
  type LogInterval,
  type RunningInterval,
  runningIntervals,
} from './ratio-interval.ts';
import { requireFinite, requireLevel, StatisticsRefusal } from './refusal.ts';
import { type BlockPair, typicalLogRatio } from './typical-ratio.ts';

/** Two series that are compared, block by block. */
export interface Comparison extends Circumstances {
  /** ln(a / b) of each block, in the order of the blocks; those of a first round come first. */
  readonly differences: readonly number[];
  /**
   * The share of the error rate that these differences may use; 1 by default. It is below 1 where they
   * were chosen among several kinds, each of which has its share.
   */
  readonly share?: number;
  /**
   * The values of the blocks that no other program disturbed: nothing is equivalent whose means are not.
   * Left out where most blocks were disturbed, whose means say nothing of the sides.
   */
  readonly means?: readonly BlockPair[];
}

/** Returns the error rate that is left to a comparison of its share. */
export function ownLevel(comparison: Pick<Comparison, 'share'>, alpha: number): number {
  return alpha * shareOf(comparison);
}

function shareOf({ share = 1 }: Pick<Comparison, 'share'>): number {
  return share;
}

export interface DecisionRules {
  /**
   * The better direction of the metric; decides whether a ratio above 1 is `slower` or `faster`.
   */
  readonly better: Metric['direction'];
  /**
   * The share below which a difference does not matter: 0.02 is ± 2 %, a ratio within 1/1.02 …
   * 1.02. 0 asks for any difference; nothing is equivalent then.
   */
  readonly margin?: number;
  /** Probability of a wrong verdict, over all looks together. */
  readonly alpha?: number;
  /**
   * The looks that the interval rests on: those at all blocks together (the default), or the last
   * one alone, as for a row of a table: only the evidence of the last look is an e-value.
   */
  readonly looks?: 'all' | 'last';
}

export interface Decision {
  /** Verdict on `a`, compared with `b`. */
  readonly verdict: Verdict;
  /**
   * The typical a / b of a block: exp of `typicalLogRatio` of all blocks. It always lies in the
   * interval.
   */
  readonly ratio: number;
  /** Bounds of the typical a / b that hold at any look; null with too few blocks. */
  readonly low: number | null;
  readonly high: number | null;
  /** 1 − α. */
  readonly confidence: number;
  readonly margin: number;
  readonly blocks: number;
  /** The interval excludes 1. */
  readonly significant: boolean;
  /** The whole interval lies beyond the margin; false means "not shown to be". */
  readonly relevant: boolean;
  /** ln of the evidence against equality at the last look: an e-value. */
  readonly logEValue: number;
  /** The ratio of the means, with bounds that hold at any look; null where it is not known. */
  readonly mean: MeanBounds | null;
  /** Only for `undecided`. */
  readonly because: Indecision | null;
  /** Only for `undecided`: see `moreBlocksNeeded`. Null when more blocks cannot be expected to help. */
  readonly moreBlocks: number | null;
}

export const defaultMargin = 0.02;
export const defaultAlpha = 0.05;

/**
 * Decides the verdict over two series. It may be called after every block, and sampling may stop at
 * any time.
 *
 * `equivalent`: the interval lies within the margin. `faster` / `slower`: it lies beyond half of the
 * margin, on one side, and not within the margin. `undecided`: neither, with the reason in `because`.
 * So a difference of less than half the margin is called one, and one beyond the margin `equivalent`,
 * with probability at most α each, under the assumption of `logEValue`; between them the interval
 * speaks. `significant` says that it excludes 1.
 *
 * The interval is that of all looks together (`runningIntervals`), so a verdict once reached stays.
 * If the typical ratio of all blocks has left it, the interval of the last look alone is used,
 * which holds as well, and the verdict is made again.
 *
 * Order matters: the differences must stand in the order in which they were measured, and no block
 * may be left out because of its value.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-margin`, `bad-level`. Smallest n: 1, but no
 *   verdict other than `undecided` before `smallestBlocks(α)` (6 for α = 0.05).
 */
export function decide(comparison: Comparison, rules: DecisionRules): Decision {
  const { differences } = comparison;
  const { better, margin = defaultMargin, alpha = defaultAlpha, looks = 'all' } = rules;
  requireFinite(differences, 'block difference');
  requireMargin(margin);
  requireLevel(alpha, 'error rate');

  const level = ownLevel(comparison, alpha);
  const { logRatio, last, settled } = settledAt(comparison, { level, looks });
  const bounded = settled.kind === 'bounded' ? settled : null;
  const typical = bounded === null ? 'undecided' : verdictOn(bounded, { better, margin });
  const means = meansOf(comparison, level);
  const doubt = typical === 'equivalent' && means !== null ? findDoubt(means, margin) : null;
  return {
    verdict: doubt === null ? typical : 'undecided',
    ratio: Math.exp(logRatio),
    // If no ratio fits all blocks, the last look alone is shown, without a verdict.
    ...boundsOf(bounded ?? last),
    confidence: 1 - alpha,
    margin,
    blocks: differences.length,
    ...sizeOf(bounded, margin),
    logEValue:
      logEValue(computeEvidence(differences, 0, roundIn(comparison))) +
      Math.log(shareOf(comparison)),
    mean: means && exponential(means),
    ...whyOpen(comparison, { typical, doubt, means, settled, margin, level }),
  };
}

interface JudgedRatio {
  readonly typical: Verdict;
  readonly doubt: Indecision | null;
  readonly means: MeanRatio | null;
  readonly settled: RunningInterval;
  readonly margin: number;
  readonly level: number;
}

function whyOpen(
  comparison: Comparison,
  { typical, doubt, means, settled, margin, level }: JudgedRatio,
): Pick<Decision, 'because' | 'moreBlocks'> {
  if (doubt !== null && means !== null) {
    const blocks = comparison.differences.length;
    return { because: doubt, moreBlocks: moreOfMeans(means, { margin, blocks }) };
  }
  if (typical !== 'undecided') return { because: null, moreBlocks: null };
  const moreBlocks = moreBlocksNeeded(comparison, { running: settled, margin, alpha: level });
  return { because: indecision(settled.kind), moreBlocks };
}

interface SettledRatio {
  readonly logRatio: number;
  readonly last: LogInterval | null;
  readonly settled: RunningInterval;
}

/** The interval that counts: that of all looks, unless the typical ratio has left it. */
function settledAt(
  comparison: Comparison,
  { level, looks }: { readonly level: number; readonly looks: 'all' | 'last' },
): SettledRatio {
  const logRatio = typicalLogRatio(comparison.differences);
  const last = logInterval(comparison.differences, level, comparison);
  const running = looks === 'all' ? runningAt(comparison, level) : atLook(last);
  const hasLeft = running.kind === 'bounded' && !holds(running, logRatio);
  return { logRatio, last, settled: hasLeft ? atLook(last) : running };
}

function meansOf({ means, resolution = 0 }: Comparison, level: number): MeanRatio | null {
  if (means === undefined || means.length === 0) return null;
  const { logRatio, low, high } = meanRatio(means, level);
  return { logRatio, low: low - resolution, high: high + resolution };
}

function runningAt(comparison: Comparison, alpha: number): RunningInterval {
  return runningIntervals(comparison.differences, alpha, comparison).at(-1) ?? { kind: 'open' };
}

function atLook(interval: LogInterval | null): RunningInterval {
  return interval === null ? { kind: 'open' } : { kind: 'bounded', ...interval };
}

function boundsOf(interval: LogInterval | null): Pick<Decision, 'low' | 'high'> {
  if (interval === null) return { low: null, high: null };
  return { low: Math.exp(interval.low), high: Math.exp(interval.high) };
}

function sizeOf(
  interval: LogInterval | null,
  margin: number,
): Pick<Decision, 'significant' | 'relevant'> {
  if (interval === null) return { significant: false, relevant: false };
  return {
    significant: excludes(interval, 0),
    relevant: excludes(interval, Math.log1p(margin)),
  };
}

function roundIn({ firstRound }: Comparison): RoundEvidence | null {
  return firstRound === undefined ? null : computeRoundEvidence(firstRound);
}

/** ln of the capital for each verdict: `decide` with `looks: 'last'` reaches it at every α of at least the inverse. */
export interface Decisiveness {
  readonly different: number;
  readonly equivalent: number;
}

/**
 * Returns ln of the capital for a difference and for equivalence at the last look. For a difference
 * it is that of one side against half of the margin, for equivalence the smaller one of those against
 * both ends of the margin; the resolution of the clock counts for neither.
 */
export function logDecisiveness(comparison: Comparison, margin = defaultMargin): Decisiveness {
  const { differences, firstRound, resolution = 0 } = comparison;
  if (differences.length < (firstRound?.blocks ?? 0))
    return { different: -Infinity, equivalent: -Infinity };
  const round = roundIn(comparison);
  const at = (shift: number, side: Side): number =>
    logCapital(computeEvidence(differences, shift, round), side) + Math.log(shareOf(comparison));
  const bound = Math.log1p(margin) - resolution;
  const apart = differenceFrom(margin) + resolution;
  return {
    different: Math.max(at(apart, 'above'), at(-apart, 'below')),
    equivalent: Math.min(at(-bound, 'above'), at(bound, 'below'), meansWithin(comparison, bound)),
  };
}

/** Where the means are not known nothing is asked of them. */
function meansWithin({ means = [], share }: Comparison, bound: number): number {
  if (means.length === 0) return Infinity;
  return logMeanCapital(means, bound) + Math.log(share ?? 1);
}

/** The word for an interval of ln(a / b). */
export function verdictOn(
  interval: Pick<LogInterval, 'low' | 'high'>,
  { better, margin }: { readonly better: Metric['direction']; readonly margin: number },
): Verdict {
  if (margin > 0 && isWithin(interval, Math.log1p(margin))) return 'equivalent';
  if (!excludes(interval, differenceFrom(margin))) return 'undecided';
  const isHigher = interval.low > 0;
  return isHigher === (better === 'higher') ? 'faster' : 'slower';
}

function indecision(kind: 'open' | 'bounded' | 'empty'): Indecision {
  switch (kind) {
    case 'open':
      return 'too-few-blocks';
    case 'bounded':
      return 'too-wide';
    case 'empty':
      return 'no-constant-ratio';
  }
}

function requireMargin(margin: number): void {
  if (!(margin >= 0 && margin < 1)) {
    throw new StatisticsRefusal(
      'bad-margin',
      `The margin is ${String(margin)}; it is a share of at least 0 and below 1: 0.02 means ± 2 %, 0 any difference.`,
    );
  }
}
