import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * The server's process, as seen by the one that measures it.
 *
 * @typedef {object} ServerProcess
 * @property {string} origin such as http://127.0.0.1:40123
 * @property {AbortSignal} gone Aborted when the process has ended; the reason is an Error that says how.
 * @property {() => number | null} threads How many threads it has; null where that cannot be seen.
 * @property {() => Promise<void>} end Never rejects; no part of it keeps running.
 *
 * @typedef {object} ServerOptions
 * @property {string} work
 * @property {string} password
 * @property {number} cost
 * @property {number} port 0 takes one that is free
 * @property {number} threadPool 0 leaves the runtime's default, or what the environment says
 */

const patience = {
  /** Until it prints its port. Loading Express takes 0.3 s on an idle machine. */
  startMs: 20_000,
  /** From the request to end until it is killed. A hash of cost 12 takes 0.2 s, without a break. */
  endMs: 3000,
};

/** Deno says nothing of the arguments that it was started with; where the kernel does not either, these are the farm's. */
const denoArguments = ['run', '--allow-all', '--no-lock', '--cached-only', '--no-prompt'];

const script = fileURLToPath(new URL('server.js', import.meta.url));

/**
 * Starts the server in the runtime that runs this, and waits until it listens.
 * @param {ServerOptions} options
 * @returns {Promise<ServerProcess>}
 * @throws {Error} a sentence, when it ends or stays silent instead.
 */
export async function startServer({ work, password, cost, port, threadPool }) {
  const args = [...runtimeArguments(), script, work, password, String(cost), String(port)];
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...(threadPool > 0 && { UV_THREADPOOL_SIZE: String(threadPool) }) },
  });
  const { gone, exited } = watchEnd(child);
  const end = () => endChild(child, exited);
  try {
    const listening = await waitForPort(child.stdout, gone);
    const origin = `http://127.0.0.1:${String(listening)}`;
    return { origin, gone, threads: () => countThreads(child.pid), end };
  } catch (cause) {
    await end();
    throw cause;
  }
}

/** The server gets the runtime's own arguments, such as flags that switch something off. */
function runtimeArguments() {
  if (process.versions.deno === undefined) return process.execArgv;
  const all = readCommandLine();
  const at = all.findIndex((one) => resolve(one) === process.argv[1]);
  return at > 0 ? all.slice(1, at) : denoArguments;
}

/** @returns {readonly string[]} */
function readCommandLine() {
  try {
    return readFileSync('/proc/self/cmdline', 'utf8').split('\0');
  } catch {
    return []; // Only Linux shows it.
  }
}

/** @typedef {import('node:child_process').ChildProcessWithoutNullStreams} Child */

/**
 * @param {Child} child
 * @returns {{ gone: AbortSignal, exited: Promise<void> }}
 */
function watchEnd(child) {
  const { signal, abort } = controller();
  const lastWords = keepTail(child.stderr);
  child.stdin.on('error', () => child.stdin.destroy()); // It had ended: `exit` reports it.
  const exited = new Promise((/** @type {(value: void) => void} */ resolve) => {
    child.once('error', (error) => {
      abort(new Error(`The server could not be started: ${error.message}`));
      resolve();
    });
    child.once('exit', (code, signalName) => {
      const how = code === null ? `by ${String(signalName)}` : `with ${String(code)}`;
      // Its last words may still be on their way.
      const tell = () => {
        abort(new Error(`The server ended ${how}${sentenceOf(lastWords())}`));
        resolve();
      };
      if (child.stderr.readableEnded) tell();
      else {
        const timer = setTimeout(tell, 200);
        child.stderr.once('end', () => {
          clearTimeout(timer);
          tell();
        });
      }
    });
  });
  return { gone: signal, exited };
}

function controller() {
  const one = new AbortController();
  return { signal: one.signal, abort: (/** @type {Error} */ reason) => one.abort(reason) };
}

/**
 * The line of what a runtime wrote that says what went wrong: the first that names an error, since
 * a stack follows it; else the last.
 * @param {string} text
 */
function sentenceOf(text) {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line = lines.find((one) => /\b\w*error\b.*:/i.test(one)) ?? lines.at(-1);
  return line === undefined ? ' and said nothing.' : `: ${line.slice(0, 500)}`;
}

/** @param {NodeJS.ReadableStream} output */
function keepTail(output) {
  let tail = '';
  output.setEncoding('utf8');
  output.on('data', (text) => {
    tail = (tail + String(text)).slice(-4000);
  });
  return () => tail;
}

/**
 * @param {NodeJS.ReadableStream} output
 * @param {AbortSignal} gone
 * @returns {Promise<number>}
 */
function waitForPort(output, gone) {
  return new Promise((resolve, reject) => {
    let heard = '';
    const timer = setTimeout(() => {
      const seconds = String(patience.startMs / 1000);
      refuse(new Error(`The server did not tell its port within ${seconds} s.`));
    }, patience.startMs);
    const refuse = (/** @type {unknown} */ reason) => {
      clearTimeout(timer);
      reject(reason);
    };
    if (gone.aborted) return refuse(gone.reason);
    gone.addEventListener('abort', () => refuse(gone.reason), { once: true });
    output.setEncoding('utf8');
    output.on('data', (text) => {
      heard = (heard + String(text)).slice(0, 1000); // The rest is read, and dropped.
      if (!heard.includes('\n')) return;
      clearTimeout(timer);
      try {
        resolve(parsePort(heard.split('\n')[0] ?? ''));
      } catch (cause) {
        refuse(cause);
      }
    });
  });
}

/** @param {string} line */
function parsePort(line) {
  const [, port] = /^\{"port":(\d{1,5})\}$/.exec(line) ?? [];
  if (port !== undefined) return Number(port);
  throw new Error(`The server said "${line.slice(0, 100)}" instead of its port.`);
}

/**
 * Closes its standard input, upon which it ends; by force when it does not. It has no children.
 * @param {Child} child
 * @param {Promise<void>} exited
 */
async function endChild(child, exited) {
  child.stdin.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), patience.endMs);
  await exited;
  clearTimeout(timer);
}

/** @param {number | undefined} pid */
function countThreads(pid) {
  try {
    return readdirSync(`/proc/${String(pid)}/task`).length;
  } catch {
    return null; // Only Linux shows them.
  }
}
