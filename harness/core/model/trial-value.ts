import { mean, median, sum } from 'simple-statistics';
import type { TrialResult } from '../../../pages/protocol.d.ts';

type TimedResult = Pick<TrialResult, 'samples' | 'steadyState' | 'repeats'>;

/** The number or share of iterations that must remain where others do not count. */
const fewestCalm = { iterations: 10, share: 0.1 };

/** True if the machine ran slower than it can during almost the whole window. */
function isSlowMachine({
  samples,
  steadyState,
}: Pick<TimedResult, 'samples' | 'steadyState'>): boolean {
  const timed = samples[0]?.timed.length ?? 0;
  const calm = timed - (steadyState?.disturbed ?? []).length;
  return calm < fewestCalm.iterations && calm < fewestCalm.share * timed;
}

/**
 * Places of the window's iterations that do not count, because the machine ran slower than it can,
 * as the reference work between them shows. None where hardly any would be left: then all count.
 */
export function disturbedIn(
  result: Pick<TimedResult, 'samples' | 'steadyState'>,
): ReadonlySet<number> {
  return new Set(isSlowMachine(result) ? [] : result.steadyState?.disturbed);
}

/** Durations of the window's iterations during which the machine ran at its own speed. */
export function calmIterations(
  result: Pick<TimedResult, 'samples' | 'steadyState'>,
): readonly number[] {
  const disturbed = disturbedIn(result);
  return (result.samples[0]?.timed ?? []).filter((_, index) => !disturbed.has(index));
}

/** The share of a window that remains at least, after any reported wait of its thread. */
const leastLeft = 0.05;

/**
 * Milliseconds of the iterations that count in which others had the core of their thread: of what was
 * measured in the whole window as large a part as theirs. 0 where it was not measured.
 */
export function preemptedMs(result: TimedResult): number {
  const { samples, steadyState, repeats } = result;
  const [windowMs, calmMs] = [samples[0]?.timed ?? [], calmIterations(result)].map(
    (durations) => sum([...durations]) * repeats,
  ) as [number, number];
  if (windowMs === 0) return 0;
  return Math.min(((steadyState?.preemptedMs ?? 0) * calmMs) / windowMs, (1 - leastLeft) * calmMs);
}

/**
 * A trial's value of one metric. The duration of a trial whose iterations were watched is the total
 * time of its window, less what others are measured to have kept its thread off its core, over the
 * number of its operations: what a user pays. No iteration is left out for its length: what recurs,
 * such as a garbage collection, is the work's own. Of everything else it is the median. Iterations
 * that a slow machine disturbed count neither with their duration nor with what a benchmark
 * measured in each of them. Null without samples.
 */
export function trialValue(result: TimedResult, metric: string): number | null {
  const { samples, steadyState, repeats } = result;
  const index = samples.findIndex((one) => one.metric === metric);
  const timed = samples[index]?.timed ?? [];
  if (timed.length === 0) return null;
  if (index === 0 && steadyState !== undefined) {
    const calm = calmIterations(result);
    return mean([...calm]) - preemptedMs(result) / (repeats * calm.length);
  }
  const isOfEach = timed.length === samples[0]?.timed.length;
  const disturbed = isOfEach ? disturbedIn(result) : new Set<number>();
  return median(timed.filter((_, at) => !disturbed.has(at)));
}

export type UnsteadyLabel = 'no steady state' | 'slowdown' | 'slowing' | 'noisy';

/** Caution about a trial's speed for its reader, in a word or two; null if there are none. */
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
