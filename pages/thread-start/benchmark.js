import { findRuntime } from '../kit/host-facts.js';
import { measureToleranceUs } from './clocks.js';
import { findFreeMemory, refuseTooMany, watch } from './guard.js';
import { means, refuseParameters } from './samples.js';
import { checkClocks, measureThreads, readTimes, worstOutside } from './workers.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { ProgramResult } from './program-output.js'
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
    const remedy = globalThis.isSecureContext === false ? ' With --tls it comes over HTTPS.' : '';
    throw new Error(`This page has no shared memory: it is not cross-origin isolated.${remedy}`);
  }
  const isEmscripten = parameters['kind'] === 'emscripten';
  const pool = Number(parameters['pool'] ?? 0);
  if (pool > 0 && !isEmscripten) throw new Error('pool concerns kind=emscripten alone.');
  const freeMemory = findFreeMemory();
  refuseTooMany({ ...order, freeMemory });
  refuseTooMany({ threads: pool, order: 'parallel', freeMemory });
  return isEmscripten
    ? prepareEmscripten(order, { freeMemory, pool })
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
  const clocks = new Clocks(guard.trouble);
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
      clocks.expect(worstOutside(times), order.threads);
    },
    counters: async () => ({ started: order.threads, ...(await clocks.compare()) }),
    end: guard.stop,
  };
}

/**
 * @param {Order} order
 * @param {{ freeMemory: (() => number) | null, pool: number }} options
 * @returns {Promise<Preparation>}
 */
async function prepareEmscripten(order, { freeMemory, pool }) {
  const { openEmscripten } = await import('./emscripten.js');
  const { also, add } = means(order, ['first-instruction']);
  const program = await openEmscripten(findRuntime() !== null, pool);
  const guard = watch(freeMemory);
  const clocks = new Clocks(guard.trouble);
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
      const { started, elapsedUs } = /** @type {ProgramResult} */ (value);
      refuseWrongCount(started, order.threads);
      clocks.expect(Math.max(0, ...elapsedUs.map((elapsed) => -elapsed)), order.threads);
    },
    async counters() {
      const { workers } = program;
      return { started: order.threads, workers, ...(await clocks.compare()) };
    },
    end() {
      guard.stop();
      program.end();
    },
  };
}

/** Tells whether the clocks of all threads agree, as far as that is known. */
class Clocks {
  /** @param {Promise<never>} trouble */
  constructor(trouble) {
    this.trouble = trouble;
    this.toleranceUs = measureToleranceUs();
    this.checks = 0;
    this.worstUs = 0;
  }

  /**
   * @param {number} outsideUs by how much a stamp, at most, was out of order
   * @param {number} checks number of checks
   */
  expect(outsideUs, checks) {
    this.checks += checks;
    this.worstUs = Math.max(this.worstUs, outsideUs);
    if (outsideUs <= this.toleranceUs) return;
    throw new Error(
      `The clocks of two threads disagree by ${String(Math.round(outsideUs))} µs, and their granules allow ${String(Math.round(this.toleranceUs))} µs: what they tell of a first instruction is worth nothing.`,
    );
  }

  /** Compares the clock of one more thread, closely, and counts. */
  async compare() {
    const agreement = await checkClocks(this.trouble);
    this.expect(agreement.outsideUs, agreement.checks);
    return {
      clockChecks: this.checks,
      clockOutsideUs: this.worstUs,
      clockToleranceUs: this.toleranceUs,
      knownWaitUs: agreement.knownWaitUs,
      recordedWaitUs: agreement.recordedWaitUs,
    };
  }
}

/**
 * @param {number} started
 * @param {number} threads
 */
function refuseWrongCount(started, threads) {
  if (started === threads) return;
  throw new Error(`Only ${String(started)} of ${String(threads)} threads started.`);
}
