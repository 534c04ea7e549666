import { pause } from './clock.js';
import { hasPlateau, iterationMsOf, judgeWindow } from './plateau.js';
import { slowestCalm } from './reference.js';
import { atLastSpeed, classOf, medianOf } from './segments.js';
import { Series, thinned } from './series.js';
import {
  longestWindow,
  meetStrangers,
  readReference,
  timeAsynchronousIteration,
  timeAsynchronousWindow,
  timeIteration,
  timeWindow,
} from './window.js';

/**
 * @import { MeasurementRules, SegmentRules, MetricSamples, SteadyState, Steadiness } from '../protocol.d.ts'
 * @import { Clock } from './clock.js'
 * @import { Reference } from './reference.js'
 * @import { Limits, Room, Work } from './window.js'
 */

/**
 * A metric of a benchmark besides the duration.
 * @typedef {object} AlsoMeasured
 * @property {string} metric
 * @property {string} unit
 * @property {number[]} values The benchmark's own array: each call of `once` adds to it.
 */

/**
 * @typedef {object} Operation
 * @property {(argument?: any) => unknown} once The measured work. If it is asynchronous, it returns a promise.
 * @property {unknown} [argument] Given to `once`. A function that is handed over with its argument is
 *   never inlined into its caller; the one inside `() => work(n)` is, after some hundred calls.
 * @property {boolean} asynchronous Whether `once` is awaited. A synchronous one never is.
 * @property {boolean} [firstRun] Whether only its first run counts, such as a cold start: no warm-up, one timed iteration.
 * @property {boolean} [fresh] Whether each call is a first run, in its own process: nothing warms up, and all calls but the very first count.
 * @property {(value: unknown) => number} [durationOf] Of a first run: the milliseconds that the work itself recorded, which count instead of those of its call.
 * @property {readonly AlsoMeasured[]} [also]
 */

/**
 * @typedef {object} MeasureHooks
 * @property {() => Promise<void>} beforeWindow Awaited right before a timed window: marks its start.
 * @property {() => Promise<void>} afterWindow Awaited right after it: marks its end.
 */

/**
 * @typedef {object} Measured
 * @property {number} repeats How often the operation ran inside one timed iteration (k).
 * @property {Steadiness} steadiness
 * @property {SteadyState} [steadyState] What the whole series shows; none where only the first run counts.
 * @property {number} [callMs] Milliseconds of the timed call, where what counts is what the work itself recorded.
 * @property {MetricSamples[]} also What the benchmark measured besides.
 * @property {number[]} warmUp Milliseconds of one operation in each iteration before the window, from the very first call on; thinned out where there are very many.
 * @property {number[]} timed Milliseconds of one operation in each iteration of the window.
 * @property {unknown} value What the operation gave last, for the benchmark to check.
 */

const maxRepeats = 2 ** 30;

/** About the most iterations of a window: shorter operations are repeated inside one. */
const mostTimed = 800;

/**
 * Before the window lie up to so large a part of the time until its end, at random, without a look at the
 * speed: a collection that comes after a number of calls would else stand at the same place of each window.
 */
const leadShare = 0.2;

/**
 * Measures one operation, wherever it runs: main thread, worker or runtime.
 *
 * All iterations are one recorded series. A change-point search (`segments.js`) splits it as it
 * grows. When no speed was faster than all before for `settled.ms` and `settled.calls` operations,
 * the work goes on for up to a fifth of the time so far and `window.ms`, at random; then a timed
 * window begins, of as many iterations as last `window.ms` on average since that speed was reached,
 * and `window.iterations` at the least. If it reached a new speed, a compiler was still at work:
 * the window becomes part of the warm-up, and another one is announced. Any other change counts,
 * and the label says it (`no steady state`). So the speed of an operation that slows down again and
 * again does not choose its window. Operations that are 1.1 to 2 times slower for 20 to 500 ms,
 * every 420 to 2,500, at random, read their total time over their calls within 0.6 % (2,000 trials
 * each; `unchosen-window.test.ts` holds it at 1 %); they read 0.8 to 4.4 % less where a window had
 * to hold no change. Collections of 30 ms in each 25, 100 or 110 calls of 3 ms: within 0.7 %, where
 * up to 1.8 %. It costs a tenth of the time of quiet work; other work takes less, since no window
 * is taken twice. Two things remain. Work of others without a trace in the reference work counts,
 * too: 10 % for 200 ms in each 1.2 s spreads trials by 2.8 %, where 0.8 %. And an operation that is
 * fast for a sixth of its time alone, by the clock, reads 4 % more: the windows that follow its
 * fast stretch are slow ones; as a stretch that comes at the same time of each page, further off
 * than the lead, is in all or in none.
 *
 * Where half of `maxMs` passes without such a plateau, or the work left its fastest speed and came
 * back three times, the window is the rest of it: work that wanders is measured over a long
 * stretch.
 *
 * Between the iterations a short reference work shows whether the machine ran at its own speed
 * (`reference.js`). Iterations next to a slow reading are recorded, and named in `disturbed`; the
 * search and the length of the window go by the others.
 *
 * An operation of which only the first run counts has neither warm-up nor k: one call is timed.
 * Where each call is a first run, in its own process, only the machine's speed is waited for: the
 * window begins after the first call, which brings the program into the page cache.
 *
 * @param {{ operation: Operation, rules: MeasurementRules, clock: Clock, hooks: MeasureHooks, reference?: Reference | null, random?: () => number }} options `random` gives 0 ≤ x < 1
 * @returns {Promise<Measured>}
 */
export async function measure({
  operation,
  rules,
  clock,
  hooks,
  reference = null,
  random = Math.random,
}) {
  /** @type {Work} */
  const work = {
    once: operation.once,
    argument: operation.argument,
    now: clock.now,
    repeats: 1,
    kept: undefined,
    reference,
    unwatchedMs: 0,
    lastReading: 0,
  };
  const also = (operation.also ?? []).map((one) => ({ ...one, before: 0 }));
  const marks = {
    async beforeWindow() {
      for (const one of also) one.before = one.values.length;
      await hooks.beforeWindow();
    },
    afterWindow: hooks.afterWindow,
  };
  const { firstRun } = operation;
  const segmentRules = currentRules(rules);
  const taken = firstRun
    ? await measureFirstRun(operation, work, marks)
    : segmentRules.fast
      ? await measureFast(operation, work, { rules: segmentRules, clock, hooks: marks })
      : await measureSeries(operation, work, {
          rules: segmentRules,
          clock,
          hooks: marks,
          series: new Series(),
          random,
        });
  return {
    ...taken,
    repeats: work.repeats,
    also: also.map(({ metric, unit, values, before }) => ({
      metric,
      unit,
      warmUp: values.slice(0, before).map(round),
      timed: values.slice(before).map(round),
    })),
    value: work.kept,
  };
}

/**
 * Rules of suites and bundles that were written before steady state was searched for.
 * @param {MeasurementRules} rules
 * @returns {SegmentRules}
 */
export function currentRules(rules) {
  if (!('warmUp' in rules)) return rules;
  const { minGranules, maxTimedMs, minIterations, warmUp } = rules;
  const maxMs = Math.max(2 * maxTimedMs, warmUp.maxMs + maxTimedMs);
  return {
    minGranules,
    settled: { ms: Math.min(400, maxMs / 4), calls: 120 },
    window: { ms: Math.min(maxTimedMs, maxMs / 2), iterations: minIterations },
    maxMs,
  };
}

/** @typedef {Pick<Measured, 'steadiness' | 'steadyState' | 'callMs' | 'warmUp' | 'timed'>} Taken */

/**
 * Work of a browser or a runtime just after its start, and of the farm at the beginning of a
 * window, disturbs work of a millisecond: the mean over a hundred native threads was 11 to 342 µs
 * in 30 trials without these pauses, and 23 to 39 µs with them.
 */
const pausesMs = { beforeWindow: 150, inWindow: 25 };

/**
 * @param {Operation} operation
 * @param {Work} work
 * @param {MeasureHooks} hooks
 * @returns {Promise<Taken>}
 */
async function measureFirstRun({ asynchronous, durationOf }, work, hooks) {
  const timed = new Float64Array(1);
  await pause(pausesMs.beforeWindow);
  await hooks.beforeWindow();
  await pause(pausesMs.inWindow);
  if (asynchronous) await timeAsynchronousIteration(work, timed, 0);
  else timeIteration(work, timed, 0);
  await hooks.afterWindow();
  const [callMs = 0] = timed;
  if (durationOf !== undefined) timed[0] = durationOf(work.kept);
  return {
    steadiness: 'first run',
    ...(durationOf !== undefined && { callMs: round(callMs) }),
    warmUp: [],
    timed: [...timed].map(round),
  };
}

/**
 * For smoke tests: one call, and more of them until the clock can time an iteration; then the window.
 * @param {Operation} operation
 * @param {Work} work its `repeats` are found here
 * @param {Omit<Setting, 'series' | 'random'>} setting
 * @returns {Promise<Taken>}
 */
async function measureFast({ asynchronous, fresh }, work, { rules, clock, hooks }) {
  const series = new Series();
  const began = clock.now();
  const elapsed = () => clock.now() - began;
  const shortestMs = shortestIteration(rules, clock);
  const scratch = new Float64Array(1);
  let longInARow = 0;
  for (;;) {
    if (asynchronous) await timeAsynchronousIteration(work, scratch, 0);
    else timeIteration(work, scratch, 0);
    const [duration = 0] = scratch;
    series.add(duration, { endMs: elapsed(), repeats: work.repeats, reading: 0 });
    longInARow = duration < shortestMs ? 0 : longInARow + 1;
    // A short one that was interrupted looks long once: with so few repeats the window would be of zeros.
    if (longInARow > 1 || duration >= rules.window.ms || work.repeats >= maxRepeats) break;
    if (longInARow === 0) work.repeats = moreRepeats(work.repeats, duration, shortestMs);
  }
  const from = series.ms.length;
  const { ms, iterations } = rules.window;
  const longestMs = longestWindow * ms;
  const limits = { ms, calmIterations: 0, iterations, longestMs, calmMs: Infinity };
  const most = mostIterations(ms, rules);
  await timeOneWindow({ asynchronous, work, series, limits, hooks, elapsed, most });
  return {
    steadiness: fresh ? 'first run' : 'no steady state',
    warmUp: series.ms.slice(0, from).map(round),
    timed: series.ms.slice(from).map(round),
  };
}

/** @typedef {{ rules: SegmentRules, clock: Clock, hooks: MeasureHooks, series: Series, random: () => number }} Setting */

/**
 * @param {Operation} operation
 * @param {Work} work its `repeats` are found here
 * @param {Setting} setting
 * @returns {Promise<Taken>}
 */
async function measureSeries({ asynchronous, fresh }, work, setting) {
  const { rules, clock, hooks, series, random } = setting;
  await meetStrangers(work, asynchronous);
  const began = clock.now();
  const elapsed = () => clock.now() - began;
  for (;;) {
    const settled = await warmUp({ asynchronous, fresh, work, series, rules, clock, elapsed });
    const iterationMs = settled && !fresh ? iterationMsOf(series) : null;
    if (iterationMs !== null) {
      const leadMs = random() * leadShare * (elapsed() + rules.window.ms);
      const iterations = Math.floor(leadMs / iterationMs);
      await iterate({ asynchronous, work, series, elapsed, iterations });
    }
    const seen = { fresh, iterationMs, spentMs: elapsed(), calmMs: slowestCalm(series.readings) };
    const limits = limitsOf(rules, seen);
    const from = series.ms.length;
    const most = mostIterations(limits.longestMs, rules);
    const timed = { asynchronous, work, series, limits, hooks, elapsed, most };
    const startMs = await timeOneWindow(timed);
    const judged = judgeWindow(series, from, rules);
    const isLast = !settled || elapsed() + rules.window.ms >= rules.maxMs;
    if (fresh || judged.isBelieved || isLast) {
      const course = { ...judged, from, startMs, rounds: work.reference?.rounds ?? 0 };
      return fresh ? concludeFresh(series, course) : conclude(series, course);
    }
  }
}

/** One process says little, and another is soon started. */
const fewestFresh = 10;

/**
 * A window that ended with the first iteration beyond a time would hold long iterations, and begin
 * right after them, more often than they occur; so one that waited for a speed has a number of them. A
 * machine that starved the warm-up, unseen, would make it short: it lasts half of its length at least.
 * @param {SegmentRules} rules
 * @param {{ fresh: Operation['fresh'], iterationMs: number | null, spentMs: number, calmMs: number }} seen
 * @returns {Limits} of the next window: all that is left of the time, where no speed was believed
 */
function limitsOf({ window, maxMs }, { fresh, iterationMs, spentMs, calmMs }) {
  const iterations = Math.max(window.iterations, fresh ? fewestFresh : 0);
  const longestMs = longestWindow * window.ms;
  if (iterationMs !== null) {
    const calmIterations = Math.max(iterations, Math.ceil(window.ms / iterationMs));
    return { ms: window.ms / 2, calmIterations, iterations, longestMs, calmMs };
  }
  if (fresh) return { ms: window.ms, calmIterations: 0, iterations, longestMs, calmMs };
  const ms = Math.max(window.ms, maxMs - spentMs);
  return { ms, calmIterations: 0, iterations, longestMs: ms, calmMs };
}

/**
 * @typedef {Pick<WarmUp, 'asynchronous' | 'work' | 'series' | 'elapsed'>
 *   & { limits: Limits, hooks: MeasureHooks, most: number }} TimedWindow `most`: iterations
 */

/**
 * Times a window, and adds it to the series.
 * @param {TimedWindow} options
 * @returns {Promise<number>} when it began
 */
async function timeOneWindow({ asynchronous, work, series, limits, hooks, elapsed, most }) {
  const taken = { durations: new Float64Array(most), readings: new Float64Array(most) };
  await hooks.beforeWindow();
  const startMs = elapsed();
  const count = asynchronous
    ? await timeAsynchronousWindow(work, limits, taken)
    : timeWindow(work, limits, taken);
  await hooks.afterWindow();
  addWindow(series, taken, { count, startMs, repeats: work.repeats });
  return startMs;
}

/**
 * Room for a window of that length. Iterations may turn out shorter than planned; when the room is
 * used up, the window ends early, and the search decides what to make of it.
 * @param {number} windowMs
 * @param {SegmentRules} rules
 */
function mostIterations(windowMs, { window }) {
  const room = 2 * longestWindow * mostTimed;
  return Math.max(window.iterations, Math.ceil((room * windowMs) / window.ms));
}

/**
 * @param {Series} series
 * @param {Room} taken
 * @param {{ count: number, startMs: number, repeats: number }} window
 */
function addWindow(series, { durations, readings }, { count, startMs, repeats }) {
  let endMs = startMs;
  for (let i = 0; i < count; i++) {
    const [duration = 0, reading = 0] = [durations[i], readings[i]];
    endMs += duration;
    series.add(duration, { endMs, repeats, reading });
  }
}

/**
 * Milliseconds that an iteration takes at the least.
 * @param {SegmentRules} rules
 * @param {Clock} clock
 */
function shortestIteration({ minGranules, window }, { granuleMs }) {
  return Math.max(minGranules * granuleMs, window.ms / mostTimed);
}

// ---------------------------------------------------------------- warm-up

/**
 * @typedef {object} WarmUp
 * @property {boolean} asynchronous
 * @property {Operation['fresh']} fresh
 * @property {Work} work its `repeats` are found here
 * @property {Series} series goes on
 * @property {SegmentRules} rules
 * @property {Clock} clock
 * @property {() => number} elapsed milliseconds of the whole measurement so far
 */

/**
 * Iterates until the last segment can be believed, or half of the time has passed. k starts at 1
 * and grows whenever an iteration is too short: for the clock, or for a series of bounded length.
 * Neither ends it before one iteration was long enough: without k there is nothing to time.
 * @param {WarmUp} options
 * @returns {Promise<boolean>} whether the last segment can be believed
 */
async function warmUp({ asynchronous, fresh, work, series, rules, clock, elapsed }) {
  const shortestMs = shortestIteration(rules, clock);
  // The same kind of array as in the window, or the timing functions would be compiled again there.
  const scratch = new Float64Array(1);
  let nextLookMs = 0;
  for (;;) {
    if (asynchronous) await timeAsynchronousIteration(work, scratch, 0);
    else timeIteration(work, scratch, 0);
    const duration = scratch[0] ?? 0;
    const endMs = elapsed();
    series.add(duration, { endMs, repeats: work.repeats, reading: readReference(work, duration) });
    if (duration < shortestMs && work.repeats < maxRepeats) {
      work.repeats = moreRepeats(work.repeats, duration, shortestMs);
      continue;
    }
    if (endMs >= rules.maxMs / 2) return false;
    if (endMs < nextLookMs) continue;
    if (fresh) return true;
    if (hasPlateau(series, rules)) return true;
    nextLookMs = elapsed() + Math.max(20, endMs / 20);
  }
}

/**
 * Iterates without a look at the speed.
 * @param {Pick<WarmUp, 'asynchronous' | 'work' | 'series' | 'elapsed'> & { iterations: number }} options
 */
async function iterate({ asynchronous, work, series, elapsed, iterations }) {
  const scratch = new Float64Array(1);
  for (let i = 0; i < iterations; i++) {
    if (asynchronous) await timeAsynchronousIteration(work, scratch, 0);
    else timeIteration(work, scratch, 0);
    const [duration = 0] = scratch;
    const endMs = elapsed();
    series.add(duration, { endMs, repeats: work.repeats, reading: readReference(work, duration) });
  }
}

/**
 * Repeats for an iteration twice as long as asked; at most ten times as many as now, because a
 * reading below the clock's granule does not justify more.
 * @param {number} repeats
 * @param {number} durationMs
 * @param {number} shortestMs
 */
function moreRepeats(repeats, durationMs, shortestMs) {
  const wanted = durationMs > 0 ? Math.ceil((repeats * 2 * shortestMs) / durationMs) : Infinity;
  return Math.min(maxRepeats, repeats * 10, Math.max(repeats * 2, wanted));
}

// ---------------------------------------------------------------- the result

/**
 * @typedef {import('./plateau.js').Judged & { from: number, startMs: number, rounds: number }} Course
 *   the index of the window's first iteration, when it began, and the rounds of one reading of the
 *   reference work, 0 without one
 */

/**
 * @param {Series} series
 * @param {Course} course
 * @returns {Taken}
 */
function conclude(series, { from, startMs, segments, isSteady, calm, places, rounds }) {
  const timed = series.ms.slice(from);
  const undisturbed = new Set(places);
  const disturbed = timed.flatMap((_, i) => (undisturbed.has(from + i) ? [] : [i]));
  const good = timed.filter((_, i) => undisturbed.has(from + i));
  const reached = atLastSpeed(segments)[0]?.from ?? 0;
  const early = thinned({ ms: series.ms.slice(0, from), endMs: series.endMs.slice(0, from) });
  return {
    steadiness: isSteady ? classOf(segments) : 'no steady state',
    warmUp: early.ms.map(round),
    timed: timed.map(round),
    steadyState: {
      firstMs: round(series.ms[0] ?? 0),
      // Not before the end of the first call: no speed is known earlier.
      steadyAfterMs: isSteady ? round(calm.endMs[Math.max(0, reached - 1)] ?? 0) : null,
      noisy: isSteady && spreadOf(good) > noisyFrom,
      disturbed,
      ...referenceOf(series, { from, rounds }),
      windowAtMs: round(startMs),
      warmUpEndMs: early.endMs.map(round),
      segments: segments.map((segment) => ({
        fromMs: round(calm.endMs[segment.from - 1] ?? 0),
        toMs: round(calm.endMs[segment.to - 1] ?? 0),
        level: round(segment.level),
      })),
    },
  };
}

/**
 * Calls that know nothing of each other have no course: what changed was the machine.
 * @param {Series} series
 * @param {Course} course
 * @returns {Taken}
 */
function concludeFresh(series, course) {
  const { ms } = course.calm;
  const segments = ms.length === 0 ? [] : [{ from: 0, to: ms.length, level: medianOf(ms) }];
  return { ...conclude(series, { ...course, segments, isSteady: true }), steadiness: 'first run' };
}

/**
 * @param {Series} series
 * @param {{ from: number, rounds: number }} window
 * @returns {Pick<SteadyState, 'reference'>}
 */
function referenceOf({ readings }, { from, rounds }) {
  const slowest = slowestCalm(readings);
  const calm = readings.filter((reading) => reading > 0 && reading <= slowest);
  if (rounds === 0 || calm.length === 0) return {};
  const inWindow = readings.slice(from).filter((reading) => reading > 0);
  const windowMs = inWindow.reduce((sum, one) => sum + one, 0);
  const calmInWindow = inWindow.filter((reading) => reading <= slowest);
  const nsOf = (/** @type {number} */ ms) => round((1e6 * ms) / rounds);
  return {
    reference: {
      windowMs: round(windowMs),
      rounds: rounds * inWindow.length,
      roundNs: nsOf(meanOf(calm)),
      ...(calmInWindow.length >= fewestReadings && { calmNs: nsOf(meanOf(calmInWindow)) }),
    },
  };
}

/**
 * A reading is known to a granule of its sixteen, so to some 2.5 % (standard deviation): the mean
 * of this many to 0.4 %. Of fewer it would add to the spread of trials what it should take away.
 */
const fewestReadings = 50;

/** @param {readonly number[]} values not empty */
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Half of the distance between the quartiles, as a share of the median, from which work is noisy. */
const noisyFrom = 0.05;

/** @param {readonly number[]} values not empty */
function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(share * sorted.length)] ?? 0;
  return (at(0.75) - at(0.25)) / 2 / medianOf(values);
}

/** No clock supports more than nine digits; the others would only make the result longer. */
function round(/** @type {number} */ value) {
  return Number(value.toPrecision(9));
}
