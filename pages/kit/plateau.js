import { fastestSpeed, findSegments, largestStep, tolerance } from './segments.js';

/**
 * When the warm-up is over, and whether a window counts: as long as the work becomes faster than it ever
 * was, a compiler is at work; slower stretches are the operation's own, and choose nothing.
 *
 * @import { SegmentRules } from '../protocol.d.ts'
 * @import { Segment } from './segments.js'
 * @import { Series } from './series.js'
 */

/** With fewer iterations their course is not known. */
const fewestToJudge = 8;

/**
 * A plateau that lasts this multiple of `settled.ms` is believed even with few calls (an
 * operation of seconds cannot be called a hundred times).
 */
const longPlateau = 6;

/** Before this multiple of `settled.calls` only a long plateau is believed. */
const youth = 4;

/**
 * Work that came back to its fastest speed this often is timed for longer: windows would differ too
 * much.
 */
const mostReturns = 3;

/**
 * Tells whether the warm-up is over.
 * @param {Series} series
 * @param {SegmentRules} rules
 */
export function hasPlateau(series, rules) {
  const { calm } = series.calm();
  const segments = findSegments(calm);
  const returns = fastestSpeed(segments)?.returns ?? 0;
  return isSettled({ series, calm, segments }, rules) && returns < mostReturns;
}

/**
 * Tells whether nothing became faster for long enough: in time, because compilers work while the
 * code runs, and in calls, because they count them. In Chromium 156 a plateau of code that was not
 * yet optimised mostly lasted for 53 or 103 calls, 280 to 670 ms, and ended five times as fast; in
 * Node.js 22 for up to 440. Slower stretches since then count as well: waiting for one to end would
 * choose the window by its speed.
 * @param {{ series: Series, calm: Series, segments: readonly Segment[] }} seen
 * @param {SegmentRules} rules
 */
function isSettled({ series, calm, segments }, { settled }) {
  const fastest = fastestSpeed(segments);
  if (fastest === null) return false;
  const { ms, calls } = calm.during({ from: fastest.from, to: calm.ms.length });
  if (ms >= longPlateau * settled.ms) return true;
  const isYoung = series.calls < youth * settled.calls;
  return ms >= settled.ms && calls >= settled.calls && !isYoung;
}

/**
 * The average duration of an iteration since the fastest speed was reached.
 * @param {Series} series with a plateau
 */
export function iterationMsOf(series) {
  const { calm } = series.calm();
  const from = fastestSpeed(findSegments(calm))?.from ?? 0;
  const to = calm.ms.length;
  return calm.during({ from, to }).ms / (to - from);
}

/**
 * @typedef {object} Judged
 * @property {Series} calm without the iterations that the machine disturbed
 * @property {readonly number[]} places of its iterations in the whole series
 * @property {readonly Segment[]} segments of the calm series
 * @property {boolean} isSteady whether its window holds no change of speed
 * @property {boolean} isBelieved whether its window counts
 */

/**
 * Judges a window when it is over.
 * @param {Series} series
 * @param {number} from the window's first iteration
 * @param {SegmentRules} rules
 * @returns {Judged}
 */
export function judgeWindow(series, from, rules) {
  const { calm, places } = series.calm();
  const segments = findSegments(calm);
  const fromCalm = places.findIndex((place) => place >= from);
  const isSteady = calm.ms.length >= fewestToJudge && isWindowSteady({ calm, segments, fromCalm });
  // A speed that was reached right before the window may show only now: it has to last as any other does.
  const isBelieved =
    fromCalm >= 0 &&
    !isFasterThanBefore(calm.ms, fromCalm) &&
    isSettled({ series, calm, segments }, rules);
  return { calm, places, segments, isSteady, isBelieved };
}

/**
 * Tells whether a window reached a new speed. Its own bins are finer than those of the
 * whole series.
 * @param {readonly number[]} ms
 * @param {number} from
 */
function isFasterThanBefore(ms, from) {
  const [before = 0, within = 0] = [ms.slice(0, from), ms.slice(from)].map(
    (part) => fastestSpeed(findSegments({ ms: part }))?.level ?? Infinity,
  );
  return before > within * (1 + tolerance);
}

/**
 * The bins of the whole series are too coarse for a change of some tens of milliseconds; those of the
 * window alone are not. Its first iteration follows a message to the farm, and may be slower for that.
 * @param {{ calm: Series, segments: readonly Segment[], fromCalm: number }} seen
 */
function isWindowSteady({ calm, segments, fromCalm }) {
  if ((segments.at(-1)?.from ?? Infinity) > fromCalm) return false;
  const window = { ms: calm.ms.slice(fromCalm + 1) };
  return findSegments(window).length <= 1 && largestStep(window) <= largestSteadyStep;
}

/** A trial is not called steady when its own window contains a larger change than this. */
const largestSteadyStep = 0.05;
