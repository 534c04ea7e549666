import { findRuntime } from '../kit/host-facts.js';
import { measureToleranceUs } from './clocks.js';
import { findFreeMemory, refuseTooMany, watch } from './guard.js';
import { means, refuseParameters } from './samples.js';
import { checkClocks, countViolations, measureThreads, readTimes } from './workers.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { Order } from './samples.js'
 * @import { Measured } from './workers.js'
 */

export const id = 'thread-start';

/**
 * @param {Parameters} parameters `threads`, `order` and `kind`; `shared-start` concerns programs only
 * @returns {Promise<Preparation>}
 */
export async function prepare(parameters) {
  const order = refuseParameters(parameters);
  if (parameters['shared-start'] === true) {
    throw new Error(
      'shared-start concerns programs: JavaScript has no variable that threads share.',
    );
  }
  if (typeof SharedArrayBuffer !== 'function') {
    throw new Error('This page has no shared memory: it is not cross-origin isolated.');
  }
  const freeMemory = findFreeMemory();
  refuseTooMany({ ...order, freeMemory });
  return parameters['kind'] === 'emscripten'
    ? prepareEmscripten(order, freeMemory)
    : prepareWorkers(order, freeMemory);
}

/**
 * @param {Order} order
 * @param {(() => number) | null} freeMemory
 * @returns {Preparation}
 */
function prepareWorkers(order, freeMemory) {
  const { also, add } = means(order, ['first-instruction', 'first-message']);
  const guard = watch(freeMemory);
  const toleranceUs = measureToleranceUs();
  let violations = 0;
  return {
    firstRun: true,
    asynchronous: true,
    also,
    async once() {
      const measured = await measureThreads({ ...order, trouble: guard.trouble });
      const times = measured.times.map(readTimes);
      add(
        'first-instruction',
        times.map((one) => one.firstInstructionUs),
      );
      add(
        'first-message',
        times.map((one) => one.firstMessageUs),
      );
      return measured;
    },
    check(value) {
      const { started, times } = /** @type {Measured} */ (value);
      refuseWrongCount(started, order.threads);
      violations = countViolations(times, toleranceUs);
      if (violations > 0) throw new Error(disagreement(violations, started));
    },
    async counters() {
      const agreement = await checkClocks(toleranceUs, guard.trouble);
      if (agreement.violations > 0) {
        throw new Error(disagreement(agreement.violations, agreement.checks));
      }
      return {
        started: order.threads,
        clockChecks: order.threads + agreement.checks,
        clockViolations: violations + agreement.violations,
        knownWaitUs: agreement.knownWaitUs,
        recordedWaitUs: agreement.recordedWaitUs,
      };
    },
    end: guard.stop,
  };
}

/**
 * @param {Order} order
 * @param {(() => number) | null} freeMemory
 * @returns {Promise<Preparation>}
 */
async function prepareEmscripten(order, freeMemory) {
  const { openEmscripten } = await import('./emscripten.js');
  const { also, add } = means(order, ['first-instruction']);
  const program = await openEmscripten(findRuntime() !== null);
  const guard = watch(freeMemory);
  const toleranceUs = measureToleranceUs();
  let known = { knownWaitUs: NaN, recordedWaitUs: NaN };
  return {
    firstRun: true,
    asynchronous: true,
    also,
    async once() {
      const result = await program.run(order, guard.trouble);
      add('first-instruction', result.elapsedUs);
      return result;
    },
    check(value) {
      const result = /** @type {import('./program-output.js').ProgramResult} */ (value);
      refuseWrongCount(result.started, order.threads);
      known = result;
      const early = result.elapsedUs.filter((elapsed) => elapsed < -toleranceUs).length;
      if (early > 0) throw new Error(disagreement(early, order.threads));
    },
    async counters() {
      const agreement = await checkClocks(toleranceUs, guard.trouble);
      if (agreement.violations > 0) {
        throw new Error(disagreement(agreement.violations, agreement.checks));
      }
      return {
        started: order.threads,
        workers: program.workers,
        clockChecks: order.threads + agreement.checks,
        clockViolations: agreement.violations,
        knownWaitUs: known.knownWaitUs,
        recordedWaitUs: known.recordedWaitUs,
      };
    },
    end() {
      guard.stop();
      program.end();
    },
  };
}

/**
 * @param {number} started
 * @param {number} threads
 */
function refuseWrongCount(started, threads) {
  if (started === threads) return;
  throw new Error(`Only ${String(started)} of ${String(threads)} threads started.`);
}

/**
 * @param {number} violations
 * @param {number} checks
 */
function disagreement(violations, checks) {
  return `The clocks of the threads disagree by more than their granules allow, in ${String(violations)} of ${String(checks)} checks: what they tell of a first instruction is worth nothing.`;
}
