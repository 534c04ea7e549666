import { openClock } from '../kit/clock.js';
import { findRuntime } from '../kit/host-facts.js';
import { medianOf } from '../kit/segments.js';
import { jump, spin } from '../kit/spin.js';
import { openEmscripten } from '../thread-start/emscripten.js';
import { watch } from '../thread-start/guard.js';
import { parseWaits } from '../thread-start/program-output.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'calibrate';

/** How the loop's speed is found. */
const calibration = {
  /** Milliseconds of short runs first: the loop, and calls of it, must be compiled as they will be later. */
  settlingMs: 200,
  /** Rounds of one such short run. */
  shortRounds: 2000,
  /** Shortest duration of a stretch, so that other programs leave many of them alone. */
  stretchMs: 4,
  /** Fewest steps of the clock in a stretch: the clock is then wrong by half a percent at most. */
  stretchSteps: 200,
  stretches: 60,
  /** Which of their rates is taken: the sixth from the top. */
  quantile: 0.9,
};

/**
 * A wait that reads no clock, because 1 µs lies below the step of every browser's clock.
 * @param {Parameters} parameters `waitUs`, the true length; `by`, whose clock records; `place` concerns the page only
 * @returns {Preparation | Promise<Preparation>}
 */
export function prepare({ waitUs, by, place }) {
  const wait = Number(waitUs);
  if (!(wait > 0)) throw new Error(`waitUs cannot be ${String(waitUs)}.`);
  return by === 'emscripten' ? prepareEmscripten(wait, place) : prepareLoop(wait);
}

/**
 * The C program of thread-start, compiled with Emscripten, does the waits and records them.
 * @param {number} wait
 * @param {unknown} place
 * @returns {Promise<Preparation>}
 */
async function prepareEmscripten(wait, place) {
  if (place !== 'main')
    throw new Error('by=emscripten takes place=main: it starts its own worker.');
  const program = await openEmscripten(findRuntime() !== null);
  const guard = watch(null);
  return {
    firstRun: true,
    asynchronous: true,
    async once() {
      return parseWaits(await program.print(['wait', String(wait)], guard.trouble), wait);
    },
    // The program's own record: its start does not belong to the wait.
    durationOf: (value) => medianOf(/** @type {readonly number[]} */ (value)) / 1000,
    check() {},
    end() {
      guard.stop();
      program.end();
    },
  };
}

/**
 * @param {number} wait in microseconds
 * @returns {Preparation}
 */
function prepareLoop(wait) {
  const roundsPerMs = measureRate(openClock(), spin);
  const rounds = Math.max(1, Math.round((wait / 1000) * roundsPerMs));
  let value = 1;
  let calls = 0;
  return {
    once() {
      calls += 1;
      value = spin(rounds, value); // From the last value on, or waits of 1 µs would overlap: 10 % in Chromium 156.
      return value;
    },
    asynchronous: false,
    check(seen) {
      const expected = jump(rounds * calls);
      if (seen === expected) return;
      throw new Error(
        `${String(calls)} × ${String(rounds)} rounds gave ${String(seen)} instead of ${String(expected)}.`,
      );
    },
    counters: () => ({ rounds, roundsPerMs: Math.round(roundsPerMs) }),
  };
}

/**
 * Rounds that the loop runs in a millisecond: the ninth decile of the rates of 60 short stretches.
 * Nearly the fastest, because a disturbance makes a stretch slower, and a rate found too low
 * would make every wait too short; not the very fastest, which may have been one step of the clock
 * too lucky.
 *
 * @param {import('../kit/clock.js').Clock} clock
 * @param {(rounds: number) => unknown} run the loop
 * @returns {number}
 */
export function measureRate({ now, granuleMs }, run) {
  const { settlingMs, shortRounds, stretches, quantile } = calibration;
  const shortestMs = Math.max(calibration.stretchMs, calibration.stretchSteps * granuleMs);
  const timeRun = (/** @type {number} */ rounds) => {
    const start = now();
    run(rounds);
    return now() - start;
  };
  const began = now();
  while (now() - began < settlingMs) run(shortRounds);
  let rounds = shortRounds;
  while (timeRun(rounds) < shortestMs) rounds *= 2;
  const rates = Array.from({ length: stretches }, () => rounds / timeRun(rounds));
  return rates.sort((a, b) => a - b)[Math.round(quantile * (stretches - 1))] ?? NaN;
}
