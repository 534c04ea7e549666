import { findRuntime } from './host-facts.js';

/**
 * @typedef {object} Clock
 * @property {() => number} now Monotonic time in milliseconds.
 * @property {number} granuleMs Smallest step that `now` was seen to make, in milliseconds.
 */

/** When the search for the granule has seen enough. */
const search = {
  /** Milliseconds after which `fewSteps` are enough. */
  shortMs: 100,
  fewSteps: 3,
  /** Steps that are always enough. */
  manySteps: 400,
  /** Readings after which a clock that stands still is given up: about a second. */
  mostReads: 20_000_000,
};

/** Steps below a nanosecond are rounding of the division that made the value, not ticks. */
const roundingMs = 1e-6;

/**
 * The smallest step of a clock, in milliseconds, rounded to a nanosecond: the difference of two
 * consecutive readings that differ. It is the smallest step seen at least twice, because a single
 * short one can be jitter that the browser adds on purpose.
 *
 * The search is bounded: 400 steps (2 ms at Chromium's 5 µs), or 100 ms, or, when the clock is so
 * coarse that 100 ms hold fewer than three steps, three steps.
 *
 * @param {() => number} now
 * @returns {number}
 * @throws {Error} when the clock does not move.
 */
export function measureGranule(now) {
  /** @type {Map<number, number>} How often each step was seen. */
  const seen = new Map();
  const began = now();
  let last = began;
  let steps = 0;
  for (let reads = 0; reads < search.mostReads && steps < search.manySteps; reads++) {
    const time = now();
    const step = time - last;
    if (step < roundingMs) continue;
    last = time;
    steps += 1;
    const rounded = Math.round(step * 1e6) / 1e6;
    seen.set(rounded, (seen.get(rounded) ?? 0) + 1);
    if (steps >= search.fewSteps && time - began >= search.shortMs) break;
  }
  if (steps === 0) throw new Error('The clock stands still.');
  return smallestRepeated(seen);
}

/** @param {ReadonlyMap<number, number>} seen */
function smallestRepeated(seen) {
  const repeated = [...seen].filter(([, times]) => times > 1).map(([step]) => step);
  return Math.min(...(repeated.length > 0 ? repeated : seen.keys()));
}

/**
 * The clock of this page, worker or runtime.
 * @returns {Clock}
 */
export function openClock() {
  const now = () => performance.now();
  return { now, granuleMs: measureGranule(now) };
}

/**
 * Tells whether the clock is as fine as this host makes it. A page must be cross-origin isolated for
 * that; a runtime, which runs no foreign code, is never given a coarse one.
 */
export function isIsolated() {
  return globalThis.crossOriginIsolated === true || findRuntime() !== null;
}

/**
 * Waits; not at all without a timer, as in the shell of SpiderMonkey.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export async function pause(ms) {
  if (typeof setTimeout === 'function') await new Promise((resolve) => setTimeout(resolve, ms));
}
