import { sampleVariance } from 'simple-statistics';
import { caseName, type Metric } from '../model/case.ts';
import { roundOf, type Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { bestSharedWindow } from './stats/spread-levels.ts';
import { scale } from './stats/typical-ratio.ts';
import type { Pair, Side } from './decisions.ts';
import { isCompleted, valueOf, withoutQuarantined, type CompletedTrial } from './series.ts';
import { fewestToAdvise, timingOf, windowMsOf } from './timing.ts';

/** How long the trials of a comparison are timed once its first round is over. */
export interface ChosenWindow {
  /** In the first round, as its rules say. */
  readonly firstMs: number;
  /** From then on, on both sides. */
  readonly thenMs: number;
}

/**
 * The window that the later rounds of a run were timed with; null where they kept that of the rules,
 * as every run of an older farm did.
 */
export function usedWindow(
  plan: Pick<Plan, 'firstRound' | 'measurement'>,
  pair: Pair,
  trials: readonly Trial[],
): ChosenWindow | null {
  const chosen = chooseWindow(plan, pair, trials);
  const isUsed = trials
    .filter(isCompleted)
    .filter(({ job }) => roundOf(plan, job.block) > 0)
    .some(({ outcome }) => windowMsOf(outcome.result) >= (chosen?.thenMs ?? Infinity));
  return isUsed ? chosen : null;
}

/** Shorter than this many times what it was, another window is as good: the optimum is flat. */
const worthChanging = 2;

/**
 * A window grows at most so many times. The spread between sessions rests on eight degrees of freedom,
 * and where sessions hardly differ it may well come out as 0, with no best length at all. At eight
 * times the length an eighth of what a window averages is left, so more would gain little, and an
 * estimate that is wrong costs no more than the time of such windows.
 */
const mostTimes = 8;

/**
 * The window of all rounds after the first, from the trials of the first: where the spread inside
 * sessions calls for it, after Kalibera & Jones (2013), one longer length for both sides. Null where
 * the rules' own window stays: with trials that were not searched for a steady state, with too few of
 * them, where blocks spread by less than the scale of the typical ratio, so that only their number
 * decides, and where little would be gained.
 *
 * It is never longer than half of `maxMs`: that much the page leaves to a window after the longest
 * warm-up, so a trial takes no longer than its rules allow.
 *
 * The test stays valid. The length is a function of blocks that are past, and one for both sides, so
 * in each later block, given everything before it, the order of the two trials is still a fair coin,
 * and of two equal sides d is as likely +x as −x: a longer window changes how far d scatters, not
 * where it lies (`stats/README.md`, why blocks). No bet on a later block pays more than it should,
 * and the permutation of the first round is among trials of one length.
 *
 * Nothing of it is stored: the same trials give the same length, when a run goes on, too.
 */
export function chooseWindow(
  plan: Pick<Plan, 'firstRound' | 'measurement'>,
  pair: Pair,
  trials: readonly Trial[],
): ChosenWindow | null {
  const { firstRound, measurement } = plan;
  if (firstRound === undefined || !('window' in measurement)) return null;
  const first = withoutQuarantined(trials).filter(({ job }) => roundOf(plan, job.block) === 0);
  const sides = [pair.a, pair.b].map((side) => searchedTrials(first, side, pair.metric));
  if (sides.some((ours) => ours.length < fewestToAdvise)) return null;
  if (blockSpread(sides, pair.metric) <= scale) return null;
  const timings = sides.map(timingOf);
  const prices = timings.flatMap(({ price }) => price ?? []);
  if (prices.length < sides.length) return null;
  const { window, maxMs } = measurement;
  const best = Math.min(bestSharedWindow(prices), mostTimes * window.ms, maxMs / 2);
  // Without a steady state a trial times all that is left of `maxMs`, whatever its rules say.
  const was = Math.max(window.ms, Math.min(...timings.map(({ windowMs }) => windowMs)));
  return best < worthChanging * was ? null : { firstMs: window.ms, thenMs: Math.round(best) };
}

/**
 * The completed trials of a side; none where one of them was not searched for its steady state, or
 * where another metric than the duration is compared, which has no window of its own.
 */
function searchedTrials(
  trials: readonly Trial[],
  side: Side,
  metric: Metric,
): readonly CompletedTrial[] {
  if (side.case.benchmark.metrics[0]?.id !== metric.id) return [];
  const name = caseName(side.case);
  const ours = trials
    .filter(({ job }) => job.deviceId === side.deviceId && caseName(job.case) === name)
    .filter(isCompleted);
  return ours.every(({ outcome }) => outcome.result.steadyState !== undefined) ? ours : [];
}

/** Standard deviation of the log ratio of a block, from the spread of both sides. */
function blockSpread(sides: readonly (readonly CompletedTrial[])[], metric: Metric): number {
  const variances = sides.map((ours) =>
    sampleVariance(ours.map((trial) => Math.log(valueOf(trial, metric) ?? NaN))),
  );
  return Math.sqrt(variances.reduce((sum, one) => sum + one, 0));
}
