import { mean, median, sum } from 'simple-statistics';
import type { TrialResult } from '../../pages/protocol.d.ts';

type Timed = Pick<TrialResult, 'samples' | 'steadyState' | 'repeats'>;

/** At least so much of a window is left, whatever its thread is said to have waited. */
const leastLeft = 0.05;

/** Milliseconds of a window in which others had the core of its thread; 0 where it was not measured. */
export function preemptedMs({ samples, steadyState, repeats }: Timed): number {
  const windowMs = sum([...(samples[0]?.timed ?? [])]) * repeats;
  return Math.min(steadyState?.preemptedMs ?? 0, (1 - leastLeft) * windowMs);
}

/**
 * A trial's value of one metric. The duration of a trial whose iterations were watched is the total time
 * of its window, less what others are measured to have kept its thread off its core, over the number of
 * its operations: what a user pays. No iteration is left out for its length: what recurs, such as a
 * garbage collection, is the work's own. Of everything else it is the median. Null when there is no
 * sample.
 */
export function trialValue(result: Timed, metric: string): number | null {
  const { samples, steadyState, repeats } = result;
  const index = samples.findIndex((one) => one.metric === metric);
  const timed = samples[index]?.timed ?? [];
  if (timed.length === 0) return null;
  if (index !== 0 || steadyState === undefined) return median([...timed]);
  return mean([...timed]) - preemptedMs(result) / (repeats * timed.length);
}

/** Places of the window's iterations beside which the machine ran slower than it can. They count. */
export function disturbedIn({ steadyState }: Pick<Timed, 'steadyState'>): ReadonlySet<number> {
  return new Set(steadyState?.disturbed);
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
