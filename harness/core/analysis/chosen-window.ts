import { sampleVariance } from 'simple-statistics';
import { caseName, type Metric } from '../model/case.ts';
import { findRound, type Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { bestSharedWindow } from './stats/spread-levels.ts';
import { scale } from './stats/typical-ratio.ts';
import type { Pair, Side } from './pairs.ts';
import { isCompleted, readValue, withoutQuarantined, type CompletedTrial } from './series.ts';
import { fewestToAdvise, computeTiming, computeWindowMs } from './timing.ts';

/** The lengths of the timed window in a comparison. */
export interface ChosenWindow {
  /** In the first round, as its rules say. */
  readonly firstMs: number;
  /** In all later rounds, on both sides. */
  readonly thenMs: number;
}

/**
 * Returns the window of the later rounds of a run; null if they kept that of the rules, as every
 * run of an older farm did.
 */
export function usedWindow(
  plan: Pick<Plan, 'firstRound' | 'measurement'>,
  pair: Pair,
  trials: readonly Trial[],
): ChosenWindow | null {
  const chosen = chooseWindow(plan, pair, trials);
  const isUsed = trials
    .filter(isCompleted)
    .filter(({ job }) => findRound(plan, job.block) > 0)
    .some(
      ({ outcome }) => computeWindowMs(outcome.result) >= almost * (chosen?.thenMs ?? Infinity),
    );
  return isUsed ? chosen : null;
}

/** A page times a number of iterations, which may last a little less than it was asked for. */
const almost = 0.8;

/** A change by a smaller factor is not worth it: the optimum is flat. */
const worthChanging = 2;

/**
 * The largest factor of growth. The spread between sessions rests on eight degrees of freedom. If
 * sessions hardly differ, it may be estimated as 0, which has no best length. At eight times the
 * length an eighth of what a window averages is left, so more would gain little.
 */
const mostTimes = 8;

/**
 * Chooses the window of all rounds after the first from the trials of the first, after Kalibera &
 * Jones (2013): one longer length for both sides, if the spread inside sessions calls for it. Null
 * if the window of the rules stays: without a search for steady state, with too few trials, if
 * blocks spread by less than the scale of the typical ratio, so that only their number decides, or
 * if little would be gained.
 *
 * It is at most half of `maxMs`: the page leaves that much to a window after the longest warm-up,
 * so a trial takes no longer than its rules allow.
 *
 * The test stays valid. The length depends on past blocks and is the same for both sides. So in
 * each later block, given everything before it, the order of the two trials is still a fair coin,
 * and for two equal sides d is as likely +x as −x: a longer window changes the spread of d, not its
 * location (`stats/README.md`, Blocks). The permutation of the first round is among trials of
 * one length.
 *
 * It is not stored: the same trials give the same length, also when a run continues.
 */
export function chooseWindow(
  plan: Pick<Plan, 'firstRound' | 'measurement'>,
  pair: Pair,
  trials: readonly Trial[],
): ChosenWindow | null {
  const { firstRound, measurement } = plan;
  if (firstRound === undefined || !('window' in measurement)) return null;
  const first = withoutQuarantined(trials).filter(({ job }) => findRound(plan, job.block) === 0);
  const sides = [pair.a, pair.b].map((side) => searchedTrials(first, side, pair.metric));
  if (sides.some((ours) => ours.length < fewestToAdvise)) return null;
  if (blockSpread(sides, pair.metric) <= scale) return null;
  const timings = sides.map(computeTiming);
  const prices = timings.flatMap(({ price }) => price ?? []);
  if (prices.length < sides.length) return null;
  const { window, maxMs } = measurement;
  const best = Math.min(bestSharedWindow(prices), mostTimes * window.ms, maxMs / 2);
  // Without a steady state a trial times the rest of `maxMs`.
  const was = Math.max(window.ms, Math.min(...timings.map(({ windowMs }) => windowMs)));
  return best < worthChanging * was ? null : { firstMs: window.ms, thenMs: Math.round(best) };
}

/**
 * The completed trials of a side; none if one of them was not searched for its steady state, or if
 * another metric than the duration is compared, which has no window.
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
    sampleVariance(ours.map((trial) => Math.log(readValue(trial, metric) ?? NaN))),
  );
  return Math.sqrt(variances.reduce((sum, one) => sum + one, 0));
}
