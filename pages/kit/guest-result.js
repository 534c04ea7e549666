import { isIsolated, openClock } from './clock.js';
import { readHost } from './host-facts.js';
import { judged, judgeSteadiness } from './steadiness.js';

/** @import { GuestTask, TrialResult } from '../protocol.d.ts' */

/**
 * The result of a page that is not ours. It was warm or not as it liked: values too few to be
 * judged are called a first run, and more are judged as an own page's timed iterations would be.
 *
 * @param {GuestTask} task
 * @param {readonly number[]} values
 * @returns {TrialResult}
 */
export function describeGuest({ metric, unit }, values) {
  const { granuleMs } = openClock();
  return {
    protocol: 1,
    clock: { granuleUs: Math.round(granuleMs * 1e6) / 1e3, isolated: isIsolated() },
    host: readHost(),
    repeats: 1,
    steadiness: values.length < judged ? 'first run' : judgeSteadiness(values),
    samples: [{ metric, unit, warmUp: [], timed: [...values] }],
    counters: {},
  };
}
