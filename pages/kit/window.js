/**
 * The code between the two marks of a timed window, once for either kind of operation: an
 * `await` that is not needed costs a turn of the microtask queue in every repeat.
 *
 * @import { Reference } from './reference.js'
 */

/**
 * State of the timing loops.
 * @typedef {object} Work
 * @property {(argument?: any) => unknown} once
 * @property {unknown} argument
 * @property {() => number} now
 * @property {number} repeats
 * @property {unknown} kept
 * @property {Reference | null} reference
 * @property {number} unwatchedMs how long iterations lasted since the last reading of the reference work
 * @property {number} lastReading
 */

/** Interval of the reference work, in milliseconds of iterations, */
const watchEveryMs = 1;

/**
 * and where the clock is coarse and a reading long for that, after this multiple of its duration.
 */
const watchEveryReadings = 8;

/**
 * While something else slows the machine down, a window continues until iterations at the machine's
 * own speed fill it, but at most for this multiple of its length.
 */
export const longestWindow = 3;

/**
 * @typedef {object} Limits
 * @property {number} ms of iterations at the machine's own speed,
 * @property {number} calmIterations and so many of them,
 * @property {number} longestMs or so long in all
 * @property {number} iterations has to be reached, too
 * @property {number} calmMs a longer reading of the reference work is slow
 */

/**
 * @typedef {object} Room Preallocated, so that storing a sample allocates nothing.
 * @property {Float64Array} durations of iterations
 * @property {Float64Array} readings of the reference work after each; 0 where it was not done
 */

/** How far a window has come. The sums are of the durations themselves: no further clock reading. */
class Progress {
  count = 0;
  /** In all. */
  sumMs = 0;
  /** While the machine ran at its own speed. */
  good = { ms: 0, iterations: 0 };
  /** Since the last reading. */
  open = { ms: 0, iterations: 0 };
  wasCalm = true;

  /**
   * @param {Limits} limits
   * @param {Room} room
   */
  isOver({ ms, calmIterations, longestMs, iterations }, { durations }) {
    if (this.count >= durations.length) return true;
    const { good, open } = this;
    const isFull = good.ms + open.ms >= ms && good.iterations + open.iterations >= calmIterations;
    return (isFull || this.sumMs >= longestMs) && this.count >= iterations;
  }

  /**
   * @param {number} durationMs
   * @param {number} reading after it, or 0
   * @param {Limits} limits
   */
  add(durationMs, reading, { calmMs }) {
    this.count += 1;
    this.sumMs += durationMs;
    this.open.ms += durationMs;
    this.open.iterations += 1;
    if (reading === 0) return;
    const isCalm = reading <= calmMs;
    if (isCalm && this.wasCalm) {
      this.good.ms += this.open.ms;
      this.good.iterations += this.open.iterations;
    }
    this.open.ms = 0;
    this.open.iterations = 0;
    this.wasCalm = isCalm;
  }
}

/** @type {(work: Work, limits: Limits, room: Room) => number} */
export function timeWindow(work, limits, room) {
  const progress = new Progress();
  while (!progress.isOver(limits, room)) {
    const { count } = progress;
    timeIteration(work, room.durations, count); // The same function that warm-up has had compiled.
    addTo(progress, work, limits, room);
  }
  return progress.count;
}

/** @type {(progress: Progress, work: Work, limits: Limits, room: Room) => void} */
function addTo(progress, work, limits, { durations, readings }) {
  const { count } = progress;
  const duration = durations[count] ?? 0;
  const reading = readReference(work, duration);
  readings[count] = reading;
  progress.add(duration, reading, limits);
}

/**
 * @param {Work} work
 * @param {number} durationMs of the iteration before
 * @returns {number} how long the reference work took; 0 where its turn has not come
 */
export function readReference(work, durationMs) {
  work.unwatchedMs += durationMs;
  const { reference, unwatchedMs, lastReading } = work;
  if (reference === null) return 0;
  if (unwatchedMs < watchEveryMs || unwatchedMs < watchEveryReadings * lastReading) return 0;
  work.unwatchedMs = 0;
  work.lastReading = reference.read();
  return work.lastReading;
}

/**
 * The same for promises, which are awaited one after the other.
 * @type {(work: Work, limits: Limits, room: Room) => Promise<number>}
 */
export async function timeAsynchronousWindow(work, limits, room) {
  const progress = new Progress();
  while (!progress.isOver(limits, room)) {
    await timeAsynchronousIteration(work, room.durations, progress.count);
    addTo(progress, work, limits, room);
  }
  return progress.count;
}

/** @type {(work: Work, durations: Float64Array, index: number) => void} */
export function timeIteration(work, durations, index) {
  const { once, argument, now, repeats } = work; // Looked up before the clock starts.
  const start = now();
  for (let i = 0; i < repeats; i++) work.kept = once(argument); // Kept where others can see it: no engine may leave the call out.
  durations[index] = now() - start;
}

/** @type {(work: Work, durations: Float64Array, index: number) => Promise<void>} */
export async function timeAsynchronousIteration(work, durations, index) {
  const { once, argument, now, repeats } = work;
  const start = now();
  for (let i = 0; i < repeats; i++) work.kept = await once(argument);
  durations[index] = now() - start;
}

/** Functions that share no code: a compiler sees a different one in each call. */
const strangers = [
  ...[() => 0, () => 1, () => 2, () => 3, () => 4, () => 5, () => 6, () => 7],
  ...[() => 8, () => 9, () => 10, () => 11, () => 12, () => 13, () => 14, () => 15],
];

/** Engines note what a function calls only after some calls of it. */
const introductions = 50;

/**
 * Lets the timing functions call many functions before the operation, so that no engine inlines the
 * operation into them. Without this, Chromium 156 did when they had become hot: in 6 of 6 sessions
 * `syncBusyFib(6)` took 6.0 ms for 2.4 s, and then 9.5 ms, because the caller's compiler tier is lower
 * than that of the operation itself.
 * @param {Work} work its `once` and `repeats` stay as they are
 * @param {boolean} asynchronous
 */
export async function meetStrangers(work, asynchronous) {
  const { once } = work;
  const scratch = new Float64Array(1);
  for (let i = 0; i < introductions; i++) {
    for (const stranger of strangers) {
      work.once = stranger;
      if (asynchronous) await timeAsynchronousIteration(work, scratch, 0);
      else timeIteration(work, scratch, 0);
    }
  }
  work.once = once;
}
