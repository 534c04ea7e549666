import { mean } from 'simple-statistics';
import type { Metric } from '../model/case.ts';
import { evidenceOf, logEValue } from './mixture-test.ts';
import { moreBlocksNeeded } from './projection.ts';
import {
  excludes,
  isWithin,
  logInterval,
  runningIntervals,
  type LogInterval,
} from './ratio-interval.ts';
import { requireFinite, requireLevel, StatisticsRefusal } from './refusal.ts';

export type Verdict = 'faster' | 'slower' | 'equivalent' | 'undecided';

/** Why there is no verdict yet. */
export type Indecision =
  /** Fewer than `smallestBlocks(α)`. */
  | 'too-few-blocks'
  /** The interval still holds 1 and reaches beyond the margin. */
  | 'too-wide'
  /** No single ratio fits all blocks: it changed while it was measured. More blocks will not help. */
  | 'no-constant-ratio';

export interface DecisionRules {
  /** Which way of the metric is better; decides whether a ratio above 1 is `slower` or `faster`. */
  readonly better: Metric['direction'];
  /** Share below which a difference does not matter: 0.02 is ± 2 %, a ratio within 1/1.02 … 1.02. */
  readonly margin?: number;
  /** Probability of a wrong verdict, over all looks together. */
  readonly alpha?: number;
}

export interface Decision {
  /** What `a` is, compared with `b`. */
  readonly verdict: Verdict;
  /**
   * a / b: exp of the mean block difference, which is the ratio of the two geometric means and lies
   * in the interval of the last look, whatever the data. Not the median block: where only one series
   * is skewed the interval covers the ratio of the geometric means, but not that
   * (simulation.test.ts). Moved to the nearer bound if earlier looks exclude it.
   */
  readonly ratio: number;
  /** Time-uniform bounds of a / b; null as long as there are fewer than the smallest number of blocks. */
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
  /** ln of the evidence against equality at the last look; the e-value for `eBh`. */
  readonly logEValue: number;
  /** Only for `undecided`. */
  readonly because: Indecision | null;
  /** Only for `undecided`: see `moreBlocksNeeded`. Null when more blocks cannot be expected to help. */
  readonly moreBlocks: number | null;
}

export const defaultMargin = 0.02;
export const defaultAlpha = 0.05;

/**
 * The verdict over two series from their block differences d = ln(a / b), in block order. It may be
 * asked after every block, and sampling may stop whenever one likes.
 *
 * `faster` / `slower`: the interval excludes 1. `equivalent`: it lies within the margin; this goes
 * first, so that a difference proved to be smaller than what matters raises no alarm (`significant`
 * still says that it is there). `undecided`: neither, and `because` says why. The interval is the
 * running intersection of `runningIntervals`, so all four can be wrong with probability at most α
 * altogether, under the assumption of `logEValue`: d is symmetric about one centre, given its past.
 *
 * Order matters: the differences must stand in the order in which they were measured, and no block
 * may be left out because of its value.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-margin`, `bad-level`. Smallest n: 1, but no
 *   verdict other than `undecided` before `smallestBlocks(α)` (8 for α = 0.05).
 */
export function decide(differences: readonly number[], rules: DecisionRules): Decision {
  const { better, margin = defaultMargin, alpha = defaultAlpha } = rules;
  requireFinite(differences, 'block difference');
  requireMargin(margin);
  requireLevel(alpha, 'error rate');

  const running = runningIntervals(differences, alpha).at(-1) ?? { kind: 'open' };
  const bounded = running.kind === 'bounded' ? running : null;
  const verdict = bounded === null ? 'undecided' : judge(bounded, { better, margin });
  const isOpen = verdict === 'undecided';
  return {
    verdict,
    // When no ratio fits all blocks, the last look alone is shown, and no verdict is built on it.
    ...estimate(mean(differences), bounded ?? logInterval(differences, alpha)),
    confidence: 1 - alpha,
    margin,
    blocks: differences.length,
    significant: bounded !== null && excludes(bounded, 0),
    relevant: bounded !== null && excludes(bounded, Math.log1p(margin)),
    logEValue: logEValue(evidenceOf(differences)),
    because: isOpen ? indecision(running.kind) : null,
    moreBlocks: isOpen ? moreBlocksNeeded(differences, { running, margin, alpha }) : null,
  };
}

function estimate(
  logRatio: number,
  interval: LogInterval | null,
): Pick<Decision, 'ratio' | 'low' | 'high'> {
  if (interval === null) return { ratio: Math.exp(logRatio), low: null, high: null };
  const { low, high } = interval;
  const inside = Math.min(high, Math.max(low, logRatio));
  return { ratio: Math.exp(inside), low: Math.exp(low), high: Math.exp(high) };
}

/** The word for an interval of ln(a / b). */
export function judge(
  interval: LogInterval,
  { better, margin }: { readonly better: Metric['direction']; readonly margin: number },
): Verdict {
  if (isWithin(interval, Math.log1p(margin))) return 'equivalent';
  if (!excludes(interval, 0)) return 'undecided';
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
  if (!(margin > 0 && margin < 1)) {
    throw new StatisticsRefusal(
      'bad-margin',
      `The margin is ${String(margin)}; it is a share between 0 and 1: 0.02 means ± 2 %. ` +
        'Without a margin nothing could ever be called equivalent.',
    );
  }
}
