import { emscriptenFile } from './emscripten-file.js';
import { parseOutput } from './program-output.js';

/**
 * Runs the C program that was compiled with Emscripten (`emscripten/`), in a page or a runtime. Its
 * `main` runs in its own worker, and each pthread in a worker that Emscripten keeps and uses
 * again.
 *
 * @import { Order } from './samples.js'
 * @import { ProgramResult } from './program-output.js'
 */

/** @typedef {{ onerror: ((event: { message?: unknown, preventDefault?: () => void }) => void) | null }} FailingWorker */

/**
 * The part of Emscripten's module object that is used.
 * @typedef {object} EmscriptenModule
 * @property {readonly string[]} arguments
 * @property {ArrayBuffer | Uint8Array} wasmBinary
 * @property {(line: string) => void} print
 * @property {(line: string) => void} printErr
 * @property {(file: string) => string} [locateFile]
 * @property {number} threadPool Workers that are made before `main`; the script without a pool does not look.
 * @property {() => void} preRun
 * @property {(status: number) => void} quit
 * @property {(reason: unknown) => void} onAbort
 * @property {{ loadWasmModuleToWorker: (worker: FailingWorker, ...rest: unknown[]) => void, terminateAllThreads: () => void }} [PThread]
 */

/**
 * How a host gets the program and starts it.
 * @typedef {object} EmscriptenHost
 * @property {ArrayBuffer | Uint8Array} wasmBinary
 * @property {(file: string) => string} [locateFile]
 * @property {() => Promise<void>} load Runs the script, which finds `globalThis.Module` and starts.
 */

const longestOutput = 100_000;

/**
 * Fetches what is needed, so that nothing is fetched while threads are timed but what Emscripten
 * itself fetches for each worker.
 * @param {boolean} isRuntime
 * @param {number} pool
 */
export async function openEmscripten(isRuntime, pool = 0) {
  const script = pool > 0 ? 'thread-start-pool.js' : 'thread-start.js';
  const host = isRuntime
    ? (await import('./runtime.js')).openInRuntime(script)
    : await openInPage(script);
  return new EmscriptenProgram(host, pool);
}

/** The program, which runs once. */
class EmscriptenProgram {
  /**
   * @param {EmscriptenHost} host
   * @param {number} pool
   */
  constructor(host, pool) {
    this.host = host;
    this.pool = pool;
    /** Workers that Emscripten made, that of `main` included; those of the pool before it can be watched. */
    this.workers = pool;
    /** @type {EmscriptenModule | null} */
    this.module = null;
  }

  /**
   * @param {Order} order
   * @param {Promise<never>} trouble ends it
   * @returns {Promise<ProgramResult>}
   */
  async run({ threads, order }, trouble) {
    try {
      return parseOutput(await this.print([String(threads), order], trouble), threads);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(
        `Not all of ${String(threads)} threads of the Emscripten program started, with ${String(this.workers)} workers made: ${why}.`,
      );
    }
  }

  /**
   * @param {readonly string[]} words
   * @param {Promise<never>} trouble ends it
   * @returns {Promise<string>} what it printed
   */
  async print(words, trouble) {
    const output = new Output();
    await Promise.race([this.start(words, output), trouble]);
    return output.text();
  }

  /**
   * @param {readonly string[]} words
   * @param {Output} output
   * @returns {Promise<void>} resolves when the program has ended well
   */
  start(words, output) {
    return new Promise((resolve, reject) => {
      const fail = (/** @type {string} */ how) => reject(new Error(output.why(how)));
      /** @type {EmscriptenModule} */
      const module = {
        arguments: words,
        threadPool: this.pool,
        wasmBinary: this.host.wasmBinary,
        print: (line) => output.add(line),
        printErr: (line) => output.addError(line),
        ...(this.host.locateFile !== undefined && { locateFile: this.host.locateFile }),
        preRun: () => this.watchWorkers(module, fail),
        quit: (status) => (status === 0 ? resolve() : fail(`it ended with ${String(status)}`)),
        onAbort: (reason) => fail(String(reason)),
      };
      this.module = module;
      /** @type {any} */ (globalThis).Module = module;
      this.host.load().catch(reject);
    });
  }

  /**
   * Counts the workers that Emscripten makes, and catches their errors: Emscripten would throw them
   * again, without a sign of where they belong.
   * @param {EmscriptenModule} module
   * @param {(how: string) => void} fail
   */
  watchWorkers({ PThread }, fail) {
    if (PThread === undefined) return;
    const { loadWasmModuleToWorker } = PThread;
    PThread.loadWasmModuleToWorker = (worker, ...rest) => {
      this.workers += 1;
      loadWasmModuleToWorker.call(PThread, worker, ...rest);
      worker.onerror = (event) => {
        event.preventDefault?.(); // Or Deno would end the whole program.
        fail(`a worker failed: ${String(event.message ?? event)}`);
      };
    };
  }

  end() {
    this.module?.PThread?.terminateAllThreads();
  }
}

/** Output of the program, bounded. */
class Output {
  constructor() {
    this.lines = '';
    this.lastError = '';
  }

  /** @param {string} line */
  add(line) {
    if (this.lines.length < longestOutput) this.lines += `${line}\n`;
  }

  /** @param {string} line */
  addError(line) {
    this.lastError = String(line).slice(0, 300);
  }

  text() {
    return this.lines;
  }

  /** @param {string} fallback */
  why(fallback) {
    return this.lastError === '' ? fallback : `${fallback}: ${this.lastError}`;
  }
}

/**
 * @param {string} script
 * @returns {Promise<EmscriptenHost>}
 */
async function openInPage(script) {
  const urlOf = (/** @type {string} */ file) => new URL(emscriptenFile(file), import.meta.url).href;
  const response = await fetch(urlOf('thread-start.wasm'));
  if (!response.ok)
    throw new Error(`thread-start.wasm cannot be read: ${String(response.status)}.`);
  return {
    wasmBinary: await response.arrayBuffer(),
    locateFile: urlOf,
    load: () => loadScript(urlOf(script)),
  };
}

/**
 * It is a classic script: only such a one knows its own address, from which it starts its workers.
 * @param {string} url
 * @returns {Promise<void>}
 */
function loadScript(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error(`${url} could not be loaded`)));
    document.head.append(script);
  });
}
