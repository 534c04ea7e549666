import { medianOf } from '../kit/segments.js';
import { startedProgram } from '../kit/started-program.js';
import { commandLine } from '../thread-start/program.js';
import { parseWaits } from '../thread-start/program-output.js';

/**
 * The same as a native program or as WebAssembly under wasmtime: the C program of thread-start does
 * the waits, and records them by the clock that times its threads.
 *
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'calibrate';

const longestMs = 60_000;

/**
 * @param {Parameters} parameters
 * @returns {Preparation}
 */
export function prepare({ waitUs, by }, program = startedProgram()) {
  const wait = Number(waitUs);
  if (!(wait > 0)) throw new Error(`waitUs cannot be ${String(waitUs)}.`);
  if (by === 'emscripten') throw new Error('by=emscripten is for pages and runtimes.');
  return {
    firstRun: true,
    asynchronous: true,
    async once() {
      const words = commandLine(program, ['wait', String(wait)]);
      return parseWaits(await program.run(words, longestMs), wait);
    },
    // The program's own record: its start does not belong to the wait.
    durationOf: (value) => medianOf(/** @type {readonly number[]} */ (value)) / 1000,
    check() {},
    end: () => program.end(),
  };
}
