import { fileURLToPath } from 'node:url';
import { startedProgram } from '../kit/started-program.js';
import { parseOutput } from './program-output.js';
import { means, refuseParameters } from './samples.js';

/**
 * The same benchmark as a native program (pthreads) or as WebAssembly under wasmtime (wasi-threads).
 *
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { ProgramResult } from './program-output.js'
 * @import { StartedProgram } from '../kit/started-program.js'
 */

export const id = 'thread-start';

const longestMs = 60_000;

/**
 * Of a known wait, the shortest recorded of five must not be shorter by more than two clocks
 * differ.
 */
const leastShare = 0.99;

/**
 * @param {Parameters} parameters
 * @param {StartedProgram} program
 * @returns {Preparation}
 */
export function prepare(parameters, program = startedProgram()) {
  const order = refuseParameters(parameters);
  if (parameters['kind'] !== 'own') throw new Error('A program starts its own kind of threads.');
  const words = wordsOf(program, order, parameters['shared-start'] === true);
  const { also, add } = means(order, ['first-instruction']);
  /** @type {ProgramResult | null} */
  let seen = null;
  return {
    firstRun: true,
    asynchronous: true,
    also,
    async once() {
      const result = parseOutput(await program.run(words, longestMs), order.threads);
      add('first-instruction', result.elapsedUs);
      return result;
    },
    check(value) {
      seen = /** @type {ProgramResult} */ (value);
      if (seen.started !== order.threads) {
        throw new Error(
          `Only ${String(seen.started)} of ${String(order.threads)} threads started.`,
        );
      }
      if (seen.recordedWaitUs < leastShare * seen.knownWaitUs) {
        throw new Error(
          `A wait of ${String(seen.knownWaitUs)} µs was recorded as ${String(seen.recordedWaitUs)} µs.`,
        );
      }
    },
    counters: () => ({
      started: seen?.started ?? 0,
      knownWaitUs: seen?.knownWaitUs ?? 0,
      recordedWaitUs: seen?.recordedWaitUs ?? 0,
    }),
    end: () => program.end(),
  };
}

/**
 * The words after the executable.
 * @param {StartedProgram} program
 * @param {import('./samples.js').Order} order
 * @param {boolean} sharedStart
 */
export function wordsOf(program, { threads, order }, sharedStart) {
  return commandLine(program, [String(threads), order, sharedStart ? 'shared' : 'own']);
}

/**
 * @param {Pick<StartedProgram, 'product' | 'flags'>} program
 * @param {readonly string[]} own arguments of the C program
 * @returns {string[]}
 */
export function commandLine({ product, flags }, own) {
  if (product === 'native') return [...flags, ...own];
  const module = fileURLToPath(new URL('native/thread-start.wasm', import.meta.url));
  const features = ['-W', 'threads=y,shared-memory=y', '-S', 'threads=y'];
  return ['run', ...features, ...flags, module, ...own];
}
