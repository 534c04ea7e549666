/** @import { Steadiness } from '../protocol.d.ts' */

/** Iterations that are looked at: two halves of three. */
export const judged = 6;

/** Largest change between the halves that counts as none. */
export const tolerance = 0.05;

/**
 * Whether iterations have stopped changing. The rule looks at the last six, in two halves:
 *
 * - `steady`: the medians of the halves differ by at most 5 %, and the six are not in strictly
 *   rising or falling order (by chance 1 in 360), so a slow slide is not taken for rest;
 * - `slowing`: not steady, the newer half is slower, and Kendall's τ of the six is at least 0.5,
 *   so that wandering is not taken for slowing;
 * - `no steady state`: anything else, fewer than six included.
 *
 * Medians, because a preempted iteration must not decide; six, because an iteration may last
 * seconds. The rule cannot see a plateau that a compiler still at work will end: that is what the
 * suite's `warmUp.minIterations` is for.
 *
 * @param {readonly number[]} durations oldest first, all with the same number of repeats
 * @returns {Steadiness}
 */
export function judgeSteadiness(durations) {
  if (durations.length < judged) return 'no steady state';
  const recent = durations.slice(-judged);
  const older = medianOfThree(recent.slice(0, judged / 2));
  const newer = medianOfThree(recent.slice(judged / 2));
  const trend = kendallTau(recent);
  const still = Math.abs(newer - older) <= tolerance * older;
  if (still && Math.abs(trend) < 1) return 'steady';
  return newer > older && trend >= 0.5 ? 'slowing' : 'no steady state';
}

/** @param {readonly number[]} three */
function medianOfThree(three) {
  return [...three].sort((a, b) => a - b)[1] ?? NaN;
}

/**
 * Kendall's τ-a against time: pairs in rising order minus pairs in falling order, over all pairs.
 * @param {readonly number[]} values
 */
function kendallTau(values) {
  let balance = 0;
  let pairs = 0;
  for (const [index, value] of values.entries()) {
    for (const later of values.slice(index + 1)) {
      balance += Math.sign(later - value);
      pairs += 1;
    }
  }
  return balance / pairs;
}
