import { judged, judgeSteadiness } from './steadiness.js';

/**
 * @import { MeasurementRules, MetricSamples, Steadiness } from '../protocol.d.ts'
 * @import { Clock } from './clock.js'
 */

/**
 * What a benchmark measures besides the duration.
 * @typedef {object} AlsoMeasured
 * @property {string} metric
 * @property {string} unit
 * @property {number[]} values The benchmark's own array: each call of `once` adds to it.
 */

/**
 * @typedef {object} Operation
 * @property {() => unknown} once What is measured. An asynchronous one returns a promise.
 * @property {boolean} asynchronous Whether `once` is awaited. A synchronous one never is.
 * @property {boolean} [firstRun] Whether only its first run counts, such as a cold start: no warm-up, one timed iteration.
 * @property {readonly AlsoMeasured[]} [also]
 */

/**
 * @typedef {object} MeasureHooks
 * @property {() => Promise<void>} beforeWindow Awaited right before the timed window: marks its start.
 * @property {() => Promise<void>} afterWindow Awaited right after it: marks its end.
 */

/**
 * @typedef {object} Measured
 * @property {number} repeats How often the operation ran inside one timed iteration (k).
 * @property {Steadiness} steadiness
 * @property {MetricSamples[]} also What the benchmark measured besides.
 * @property {number[]} warmUp Milliseconds of one operation in each iteration before the window, from the very first call on.
 * @property {number[]} timed Milliseconds of one operation in each timed iteration.
 * @property {unknown} value What the operation gave last, for the benchmark to check.
 */

/**
 * What the two timing loops work on.
 * @typedef {object} Work
 * @property {() => unknown} once
 * @property {() => number} now
 * @property {number} repeats
 * @property {unknown} kept
 */

const maxRepeats = 2 ** 30;

/**
 * Warm-up lasts at least this long, because compilers work beside the code that they compile: in
 * Chromium 156 a plateau of the unoptimised code looked steady for 6 to 20 ms, and for 250 ms beside
 * other programs; the window then saw the code become five times as fast, or never did.
 */
const settlingMs = 500;

/**
 * Measures one operation, wherever it runs: main thread, worker or runtime.
 *
 * Warm-up repeats iterations until `judgeSteadiness` calls them steady, there were at least
 * `warmUp.minIterations`, and 500 ms have passed; a cap (`warmUp.maxIterations`, `warmUp.maxMs`)
 * ends it with the label that then applies. k starts at 1 and grows whenever a warm-up iteration is shorter than
 * `minGranules` granules, aiming at twice that, because compiled code gets faster yet; it does not
 * change in the timed window. The caps wait until one iteration was long enough: without k there
 * is nothing to time.
 *
 * The timed window takes `iterations`, and ends earlier when they have lasted `maxTimedMs`
 * together, but never before `minIterations`. When most of them turn out to be shorter than
 * `minGranules` granules, the work has become faster since k was found: it was not steady.
 *
 * An operation of which only the first run counts has neither warm-up nor k: one call is timed.
 *
 * @param {{ operation: Operation, rules: MeasurementRules, clock: Clock, hooks: MeasureHooks }} options
 * @returns {Promise<Measured>}
 */
export async function measure({ operation, rules, clock, hooks }) {
  /** @type {Work} */
  const work = { once: operation.once, now: clock.now, repeats: 1, kept: undefined };
  const { durations: warmUp, steadiness } = await warmUpOf(operation, work, rules, clock);

  const timed = new Float64Array(operation.firstRun ? 1 : rules.iterations);
  const also = (operation.also ?? []).map((one) => ({ ...one, before: one.values.length }));
  await hooks.beforeWindow();
  const count = operation.asynchronous
    ? await timeAsynchronousWindow(work, rules, timed)
    : timeWindow(work, rules, timed);
  await hooks.afterWindow();

  const durations = [...timed.subarray(0, count)];
  return {
    repeats: work.repeats,
    steadiness: labelOf(steadiness, durations, rules, clock),
    also: also.map(({ metric, unit, values, before }) => ({
      metric,
      unit,
      warmUp: values.slice(0, before).map(round),
      timed: values.slice(before).map(round),
    })),
    warmUp: warmUp.map(round),
    timed: durations.map((duration) => round(duration / work.repeats)),
    value: work.kept,
  };
}

/** @typedef {{ durations: number[], steadiness: Steadiness }} WarmUp durations of one operation */

/**
 * @param {Operation} operation
 * @param {Work} work its `repeats` are found here
 * @param {MeasurementRules} rules
 * @param {Clock} clock
 * @returns {Promise<WarmUp>}
 */
async function warmUpOf({ firstRun = false, asynchronous }, work, rules, clock) {
  if (firstRun) return { durations: [], steadiness: 'first run' };
  return warm(work, asynchronous, rules, clock);
}

/**
 * Timed iterations that are mostly too short were not steady: the work got faster after k was found.
 * @param {Steadiness} steadiness
 * @param {readonly number[]} durations
 * @param {MeasurementRules} rules
 * @param {Clock} clock
 * @returns {Steadiness}
 */
function labelOf(steadiness, durations, rules, clock) {
  if (steadiness === 'first run') return steadiness;
  return mostlyShorter(durations, rules, clock) ? 'no steady state' : steadiness;
}

// ---------------------------------------------------------------- the timed window
// All that runs between the two marks stands here, once for either kind of operation:
// an `await` that is not needed costs a turn of the microtask queue in every repeat.

/**
 * @param {Work} work
 * @param {MeasurementRules} rules
 * @param {Float64Array} durations preallocated, so that storing a sample allocates nothing
 */
function timeWindow(work, rules, durations) {
  let count = 0;
  let sum = 0; // Of the durations themselves: the early end costs no further clock reading.
  while (count < durations.length && (count < rules.minIterations || sum < rules.maxTimedMs)) {
    timeIteration(work, durations, count); // The same function that warm-up has had compiled.
    sum += durations[count] ?? 0;
    count += 1;
  }
  return count;
}

/**
 * The same for promises, which are awaited one after the other.
 * @type {(work: Work, rules: MeasurementRules, durations: Float64Array) => Promise<number>}
 */
async function timeAsynchronousWindow(work, rules, durations) {
  let count = 0;
  let sum = 0;
  while (count < durations.length && (count < rules.minIterations || sum < rules.maxTimedMs)) {
    await timeAsynchronousIteration(work, durations, count);
    sum += durations[count] ?? 0;
    count += 1;
  }
  return count;
}

/** @type {(work: Work, durations: Float64Array, index: number) => void} */
function timeIteration(work, durations, index) {
  const { once, now, repeats } = work; // Looked up before the clock starts.
  const start = now();
  for (let i = 0; i < repeats; i++) work.kept = once(); // Kept where others can see it: no engine may leave the call out.
  durations[index] = now() - start;
}

/** @type {(work: Work, durations: Float64Array, index: number) => Promise<void>} */
async function timeAsynchronousIteration(work, durations, index) {
  const { once, now, repeats } = work;
  const start = now();
  for (let i = 0; i < repeats; i++) work.kept = await once();
  durations[index] = now() - start;
}

// ---------------------------------------------------------------- warm-up

/**
 * @param {Work} work its `repeats` are found here
 * @param {boolean} asynchronous
 * @param {MeasurementRules} rules
 * @param {Clock} clock
 * @returns {Promise<WarmUp>}
 */
async function warm(work, asynchronous, { minGranules, warmUp: caps }, clock) {
  const shortestMs = minGranules * clock.granuleMs;
  const durations = [];
  /** @type {number[]} Durations since k last changed: only they can be compared. */
  let comparable = [];
  let longEnough = false;
  // The timing functions get the same kind of array as in the window, or they would be compiled anew there.
  const scratch = new Float64Array(1);
  const began = clock.now();

  for (;;) {
    if (asynchronous) await timeAsynchronousIteration(work, scratch, 0);
    else timeIteration(work, scratch, 0);
    const duration = scratch[0] ?? 0;
    durations.push(duration / work.repeats);

    if (duration < shortestMs && work.repeats < maxRepeats) {
      work.repeats = moreRepeats(work.repeats, duration, shortestMs);
      comparable = [];
    } else {
      longEnough = true;
      comparable = [...comparable, duration].slice(-judged);
    }
    const steadiness = judgeSteadiness(comparable);
    const elapsed = clock.now() - began;
    const enough = durations.length >= caps.minIterations && elapsed >= settlingMs;
    const capped = durations.length >= caps.maxIterations || elapsed >= caps.maxMs;
    if (longEnough && (capped || (enough && steadiness === 'steady'))) {
      return { durations, steadiness };
    }
  }
}

/**
 * Repeats for an iteration twice as long as asked; at most ten times as many as now, because what
 * a clock shows below its granule is no basis for more.
 * @param {number} repeats
 * @param {number} durationMs
 * @param {number} shortestMs
 */
function moreRepeats(repeats, durationMs, shortestMs) {
  const wanted = durationMs > 0 ? Math.ceil((repeats * 2 * shortestMs) / durationMs) : Infinity;
  return Math.min(maxRepeats, repeats * 10, Math.max(repeats * 2, wanted));
}

/** @type {(durations: readonly number[], rules: MeasurementRules, clock: Clock) => boolean} */
function mostlyShorter(durations, { minGranules }, { granuleMs }) {
  const shorter = durations.filter((duration) => duration < minGranules * granuleMs);
  return shorter.length > durations.length / 2;
}

/** No clock supports more than nine digits; the others would only make the result longer. */
function round(/** @type {number} */ value) {
  return Number(value.toPrecision(9));
}
