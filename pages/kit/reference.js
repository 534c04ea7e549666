/**
 * Shows when the machine ran slower than it can: a short, known piece of work, timed between the
 * iterations. On a virtual machine or a shared core the work of others, which nothing on this
 * machine shows, was seen to make the same calls take 1.6 times as long, for some milliseconds to
 * some seconds. An iteration between two slow readings measured that, not the browser.
 *
 * @import { Clock } from './clock.js'
 */

/** Fewest granules of a reading, so that a step of the clock does not look like a slow one. */
const granules = 16;

/** A coarser clock allows no reading: a page that is not isolated has steps of 100 µs to 1 ms. */
const coarsestMs = 0.05;

/** Shortest duration of a reading, in milliseconds. */
const shortestMs = 0.02;

/** Compilers have finished with work this short by then. */
const warmUp = { ms: 30, readings: 300 };

/** Kept where others can see it, so that no engine leaves the work out. */
let kept = 0;

/**
 * Sums that do not wait for each other. Work that keeps all units of a core busy slows down as soon
 * as another thread shares them; a chain of steps that wait for each other hardly does.
 * @param {number} rounds
 */
function work(rounds) {
  // Nearly the same numbers each time: a sum that grew from call to call would be compiled again.
  let a = kept & 1;
  let b = 2;
  let c = 3;
  let d = 4;
  let e = 5;
  let f = 6;
  for (let i = 0; i < rounds; i++) {
    a = (a + i) | 0;
    b = (b ^ i) | 0;
    c = (c + 3) | 0;
    d = (d - i) | 0;
    e = (e + 7) ^ i;
    f = (f - 5) | 0;
  }
  kept = (a + b + c + d + e + f) | 0;
}

/**
 * @typedef {object} Reference
 * @property {() => number} read Does the work once; how long it took, in milliseconds.
 * @property {number} rounds of the work in one reading
 */

/**
 * @param {Clock} clock
 * @returns {Reference | null} null where the clock is so coarse that it would cost more than it shows
 */
export function openReference({ now, granuleMs }) {
  if (granuleMs > coarsestMs) return null;
  const wantedMs = Math.max(shortestMs, granules * granuleMs);
  let rounds = 1000;
  const read = () => {
    const start = now();
    work(rounds);
    return now() - start;
  };
  const began = now();
  for (let readings = 0; readings < warmUp.readings || now() - began < warmUp.ms; readings++) {
    if (read() < wantedMs && rounds < 2 ** 22) rounds += rounds >> 2;
    if (now() - began > 10 * warmUp.ms) break;
  }
  return { read, rounds };
}

/** From this many times the fastest readings on, the machine ran slower. */
const slowFrom = 1.15;

/** Share of the readings that may be shorter than the machine's own speed, by a step of the clock. */
const shorter = 0.05;

/**
 * @param {readonly number[]} readings 0 where none was taken
 * @returns {number} the longest reading of a machine at its own speed; Infinity without a reading
 */
export function slowestCalm(readings) {
  const sorted = readings.filter((reading) => reading > 0).sort((a, b) => a - b);
  return slowFrom * (sorted[Math.floor(shorter * sorted.length)] ?? Infinity);
}
