import { openClock } from '../kit/clock.js';

/**
 * The clocks of two threads. Each thread's clock starts at its own zero, `performance.timeOrigin`;
 * with it two readings can be compared. A check proves that they can: the one thread asks the
 * other for its time through shared memory, and the answer has to lie between the readings of the
 * asking thread's clock before and after.
 *
 * @typedef {object} Stamp
 * @property {number} origin `performance.timeOrigin` of the thread, in milliseconds.
 * @property {number} now `performance.now()` of the thread, in milliseconds.
 */

/**
 * Content of the shared memory: `numbers` are the question asked last (negative: the end) and the
 * one answered last; `times` are origin and now of the answer, and how long to wait before it.
 * @typedef {object} Shared
 * @property {Int32Array} numbers
 * @property {Float64Array} times
 */

/**
 * @typedef {object} Agreement
 * @property {number} checks
 * @property {number} outsideUs By how much, at most, an answer lay before its question or after it had arrived.
 * @property {number} knownWaitUs
 * @property {number} recordedWaitUs The shortest time in which a wait of that length was seen to pass.
 */

/**
 * `performance.timeOrigin` should be one number, and in Chromium 156 and Firefox 153 it is.
 * WebKitGTK 2.50 computes it for every reading from two clocks, one after the other, and is
 * preempted in between now and then: of 7,950,900 readings on a busy machine 560 were another
 * number, and those that were looked at all a later one, by 20 µs to 36 ms. So it is read several
 * times, and the smallest counts.
 */
function readOrigin() {
  return Math.min(...Array.from({ length: 9 }, () => performance.timeOrigin));
}

const ownOrigin = readOrigin();

const rounds = 200;
const waits = 5;
const waitMs = 1;

/** On one core every answer waits for the scheduler; fewer answers do there. */
const longestMs = 1000;
const fewestChecks = 10;

/** @returns {Stamp} */
export function stamp() {
  return { origin: ownOrigin, now: performance.now() };
}

/**
 * Microseconds from one stamp to another, possibly of another thread. Origins are subtracted first:
 * the sum of both parts would lose a quarter of a microsecond.
 *
 * @param {Stamp} from
 * @param {Stamp} to
 */
export function microsecondsBetween(from, to) {
  return (to.origin - from.origin + (to.now - from.now)) * 1000;
}

/**
 * Runtimes make a thread's origin from two clocks that are read one after the other: in Deno 2.9 the
 * origins of two threads were seen to differ by 3 µs on a busy machine. So much is allowed where
 * granules are finer; it is what Chromium's granule of 5 µs allows.
 */
const leastToleranceUs = 10;

/** Origins are numbers of about 1.8e12 ms, which have steps of 0.24 µs; two of them are subtracted. */
const arithmeticUs = 0.5;

/**
 * By how much two stamps of clocks that agree may be out of order, in microseconds: each is rounded
 * to the granule, and so is each clock's origin.
 */
export function measureToleranceUs() {
  return Math.max(leastToleranceUs, 2 * openClock().granuleMs * 1000) + arithmeticUs;
}

/** @returns {Shared} */
export function makeShared() {
  return {
    numbers: new Int32Array(new SharedArrayBuffer(8)),
    times: new Float64Array(new SharedArrayBuffer(24)),
  };
}

/**
 * Asks a thread that listens (`clock-thread.js`) for its time, again and again. Blocks for up to a
 * second; what waits for the other thread's memory cannot wait for events.
 *
 * @param {Shared} shared
 * @returns {Agreement}
 * @throws {Error} when the other thread does not answer.
 */
export function compareClocks(shared) {
  const end = performance.now() + longestMs;
  let checks = 0;
  let outsideUs = 0;
  let recordedWaitUs = Infinity;
  for (let number = 1; number <= rounds + waits && performance.now() < end; number++) {
    const isWait = number <= waits;
    shared.times[2] = isWait ? waitMs : 0;
    const before = stamp();
    const answered = ask(shared, number, end);
    const after = stamp();
    if (!answered) break;
    const seen = { origin: Number(shared.times[0]), now: Number(shared.times[1]) };
    checks += 1;
    outsideUs = Math.max(outsideUs, outsideBy(seen, { before, after }));
    if (isWait) recordedWaitUs = Math.min(recordedWaitUs, microsecondsBetween(before, after));
  }
  Atomics.store(shared.numbers, 0, -1);
  if (checks >= fewestChecks) {
    return { checks, outsideUs, knownWaitUs: waitMs * 1000, recordedWaitUs };
  }
  throw new Error(`A thread answered ${String(checks)} questions for its time within a second.`);
}

/**
 * Microseconds by which a stamp lies before or after both others; 0 when it lies between them.
 * @param {Stamp} seen
 * @param {{ before: Stamp, after: Stamp }} bounds
 */
export function outsideBy(seen, { before, after }) {
  return Math.max(0, microsecondsBetween(seen, before), microsecondsBetween(after, seen));
}

/**
 * @param {Shared} shared
 * @param {number} number
 * @param {number} end when to give up
 */
function ask({ numbers }, number, end) {
  Atomics.store(numbers, 0, number);
  while (Atomics.load(numbers, 1) !== number) {
    if (performance.now() > end) return false;
  }
  return true;
}
