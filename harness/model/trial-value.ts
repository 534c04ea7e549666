import { median } from 'simple-statistics';
import type { TrialResult } from '../../pages/protocol.d.ts';

/** An iteration that took this many times as long as the 95th percentile may have been preempted. */
const interruptedFrom = 2;

/** At most one in so many iterations is set aside, and one of at least `fewest`. */
const oneIn = 100;
const fewest = 20;

/**
 * Mean of the iterations of a window: its total time over their number, which is what a user pays.
 *
 * A preempted iteration must not decide. So the longest ones are set aside where they took more
 * than twice the 95th percentile and are at most 1 in 100 (or a single one of at least 20): what is
 * rarer than that and so much longer is the machine's. What recurs, such as garbage collection, is
 * the work's own and counts.
 *
 * @param timed durations in one unit, not empty
 */
export function segmentMean(timed: readonly number[]): number {
  const counted = withoutInterrupted(timed);
  return counted.reduce((sum, value) => sum + value, 0) / counted.length;
}

/** The iterations that `segmentMean` counts, sorted. */
export function withoutInterrupted(timed: readonly number[]): readonly number[] {
  const sorted = [...timed].sort((a, b) => a - b);
  const limit = interruptedFrom * (sorted[Math.floor(0.95 * (sorted.length - 1))] ?? Infinity);
  const within = sorted.filter((value) => value <= limit);
  const most = sorted.length < fewest ? 0 : Math.max(1, Math.floor(sorted.length / oneIn));
  return sorted.length - within.length <= most ? within : sorted;
}

/** So many iterations, or such a share of them, have to be left where others do not count. */
const fewestCalm = { iterations: 10, share: 0.1 };

type Timed = Pick<TrialResult, 'samples' | 'steadyState'>;

/** Whether the machine ran slower than it can during almost the whole window. */
function isSlowMachine({ samples, steadyState }: Timed): boolean {
  const timed = samples[0]?.timed.length ?? 0;
  const calm = timed - (steadyState?.disturbed ?? []).length;
  return calm < fewestCalm.iterations && calm < fewestCalm.share * timed;
}

/**
 * Places of the window's iterations that do not count, because the machine ran slower than it can.
 * None where hardly any would be left: then all count.
 */
export function disturbedIn(result: Timed): ReadonlySet<number> {
  return new Set(isSlowMachine(result) ? [] : result.steadyState?.disturbed);
}

/** Durations of the window's iterations during which the machine ran at its own speed. */
export function calmIterations(result: Timed): readonly number[] {
  const disturbed = disturbedIn(result);
  return (result.samples[0]?.timed ?? []).filter((_, index) => !disturbed.has(index));
}

/**
 * A trial's value of one metric. The duration of a trial whose iterations were watched is the mean over
 * its window; of everything else it is the median. Iterations that a slow machine disturbed count
 * neither with their duration nor with what a benchmark measured in each of them. Null when there is no
 * sample.
 */
export function trialValue(result: Timed, metric: string): number | null {
  const { samples, steadyState } = result;
  const index = samples.findIndex((one) => one.metric === metric);
  const timed = samples[index]?.timed ?? [];
  if (timed.length === 0) return null;
  if (index === 0 && steadyState !== undefined) return segmentMean(calmIterations(result));
  const isOfEach = timed.length === samples[0]?.timed.length;
  const disturbed = isOfEach ? disturbedIn(result) : new Set<number>();
  return median(timed.filter((_, at) => !disturbed.has(at)));
}

export type UnsteadyLabel = 'no steady state' | 'slowdown' | 'slowing' | 'noisy';

/** Caution about a trial's speed for its reader, in a word or two; null where there is none. */
export function unsteadyLabel({
  steadiness,
  steadyState,
}: Pick<TrialResult, 'steadiness' | 'steadyState'>): UnsteadyLabel | null {
  switch (steadiness) {
    case 'no steady state':
    case 'slowdown':
    case 'slowing':
      return steadiness;
    default:
      return steadyState?.noisy === true ? 'noisy' : null;
  }
}
