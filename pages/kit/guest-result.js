import { isIsolated, openClock } from './clock.js';
import { readHost } from './host-facts.js';
import { classOf, findSegments } from './segments.js';

/** @import { GuestTask, TrialResult } from '../protocol.d.ts' */

/** Fewer values say nothing of their course. */
const fewestToJudge = 8;

/**
 * The result of a page that is not ours. It was warm or not as it liked: values too few to be
 * judged are called a first run; more have no steady state where their speed changed.
 *
 * @param {GuestTask} task
 * @param {Readonly<Record<string, readonly number[]>>} values by metric
 * @param {Pick<TrialResult, 'endedAt' | 'offers' | 'errors' | 'explanations'>} more
 * @returns {TrialResult}
 */
export function describeGuest({ metrics }, values, more) {
  const { granuleMs } = openClock();
  const given = metrics.filter(({ metric }) => metric in values);
  return {
    protocol: 1,
    clock: { granuleUs: Math.round(granuleMs * 1e6) / 1e3, isolated: isIsolated() },
    host: readHost(),
    repeats: 1,
    steadiness: steadinessOf(values[given[0]?.metric ?? ''] ?? []),
    samples: given.map(({ metric, unit }) => ({
      metric,
      unit,
      warmUp: [],
      timed: [...(values[metric] ?? [])],
    })),
    counters: {},
    ...more,
  };
}

/** @param {readonly number[]} values */
function steadinessOf(values) {
  if (values.length < fewestToJudge) return 'first run';
  const segments = findSegments({ ms: values });
  return segments.length > 1 ? 'no steady state' : classOf(segments);
}
