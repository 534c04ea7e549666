import { median } from 'simple-statistics';
import type { TrialResult } from './trial.ts';

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

/**
 * A trial's value of one metric. The duration of a trial whose steady state was searched for is the
 * mean over its window; of everything else it is the median. Null when there is no sample.
 */
export function trialValue(
  { samples, steadyState }: Pick<TrialResult, 'samples' | 'steadyState'>,
  metric: string,
): number | null {
  const index = samples.findIndex((one) => one.metric === metric);
  const timed = samples[index]?.timed ?? [];
  if (timed.length === 0) return null;
  return index === 0 && steadyState !== undefined ? segmentMean(timed) : median([...timed]);
}

export type UnsteadyLabel = 'no steady state' | 'slowdown' | 'slowing' | 'noisy';

/** What a reader has to know of a trial's speed, in a word or two; null where there is nothing. */
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
