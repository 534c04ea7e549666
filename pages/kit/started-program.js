import { spawn } from 'node:child_process';

/**
 * A program that a benchmark runs in its timed window, in place of JavaScript: a native one, or
 * WebAssembly in a separate program.
 *
 * @typedef {object} StartedProgram
 * @property {string} product native or wasmtime
 * @property {readonly string[]} flags The owner's, from devices.json.
 * @property {(words: readonly string[], timeoutMs: number) => Promise<string>} run Gives what it printed.
 * @property {() => Promise<void>} end Ends it if it still runs.
 */

const mostCharacters = 1_000_000;
const keptOfErrors = 2000;

/**
 * The program that the farm named when it started the bridge: `program.js <URL> <product> <path> <flags …>`.
 * @returns {StartedProgram}
 */
export function startedProgram(argv = process.argv) {
  return programAt(namedProgram(argv));
}

/** @param {readonly string[]} argv */
export function namedProgram(argv = process.argv) {
  const [, , , product = '', path = '', ...flags] = argv;
  if (path === '') throw new Error('No program was named: only the farm starts this script.');
  return { product, path, flags };
}

/**
 * @param {{ product: string, path: string, flags: readonly string[] }} which
 * @returns {StartedProgram}
 */
export function programAt({ product, path, flags }) {
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  return {
    product,
    flags,
    async run(words, timeoutMs) {
      // A group of the bridge's own would outlive it: the farm ends the bridge's group as a whole.
      const started = (child = spawn(path, words, { stdio: ['ignore', 'pipe', 'pipe'] }));
      const output = collect(started.stdout, mostCharacters, () => started.kill('SIGKILL'));
      const errors = collect(started.stderr, keptOfErrors, () => {});
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        started.kill('SIGKILL');
      }, timeoutMs);
      try {
        const how = await ended(started);
        if (isLate)
          throw new Error(`The program had not ended after ${String(timeoutMs / 1000)} s.`);
        if (how === 'with 0') return output();
        throw new Error(describe(how, errors()));
      } finally {
        clearTimeout(timer);
        child = null;
      }
    },
    async end() {
      if (child === null) return;
      const gone = ended(child);
      child.kill('SIGKILL');
      await gone.catch(() => 'it never started');
    },
  };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} `with 0`, `by SIGSEGV`; rejects when it could not be started
 */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`The program did not start: ${error.message}.`)),
    );
    // `close` comes after the last of its output.
    child.once('close', (code, signal) => {
      resolve(code === null ? `by ${String(signal)}` : `with ${String(code)}`);
    });
  });
}

/**
 * @param {import('node:stream').Readable} stream
 * @param {number} most characters
 * @param {() => void} onMore
 */
export function collect(stream, most, onMore) {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (/** @type {string} */ piece) => {
    if (text.length < most) text += piece;
    if (text.length >= most) onMore();
  });
  return () => text.slice(0, most);
}

/**
 * @param {string} how
 * @param {string} errors
 */
export function describe(how, errors) {
  const words = errors.trim().split('\n')[0]?.slice(0, 300) ?? '';
  return words === '' ? `The program ended ${how}.` : `The program ended ${how}: ${words}.`;
}
