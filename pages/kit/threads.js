import { findRuntime } from './host-facts.js';

/**
 * Workers, the same in pages and runtimes. Deno and Bun have the web's `Worker`; Node.js has
 * its own threads (`node:worker_threads`), which are made to look like it here.
 *
 * @typedef {object} Thread
 * @property {(message: unknown) => void} post
 * @property {() => Promise<void>} end Ends it at once; resolves when it has ended in Node.js, else immediately.
 */

/**
 * @typedef {object} ThreadListener
 * @property {(message: any) => void} onMessage
 * @property {(error: Error) => void} onFailure Called for what the thread itself could not report, such as a script that does not load.
 * @property {() => void} [onEnd] Called when it has ended, by itself or not; in Node.js only.
 */

/**
 * Starts a module in a new thread.
 * @param {URL} url
 * @param {ThreadListener} listener
 * @returns {Thread}
 */
export function startThread(url, listener) {
  return typeof globalThis.Worker === 'function'
    ? startWebWorker(url, listener)
    : startNodeThread(url, listener);
}

/**
 * The other end, for code inside a thread.
 * @returns {{ post: (message: unknown) => void, onceMessage: (hear: (message: any) => void) => void }}
 */
export function openParent() {
  // Only web workers have these two as globals; a thread of Node.js has a port instead.
  if (typeof globalThis.postMessage === 'function') {
    return {
      post: (message) => globalThis.postMessage(message),
      onceMessage: (hear) =>
        globalThis.addEventListener('message', ({ data }) => hear(data), { once: true }),
    };
  }
  const { parentPort } = nodeThreads();
  nameThread();
  return {
    post: (message) => parentPort.postMessage(message),
    onceMessage: (hear) => void parentPort.once('message', hear),
  };
}

/** @type {typeof startThread} */
function startWebWorker(url, { onMessage, onFailure }) {
  const worker = new Worker(url, { type: 'module' });
  worker.addEventListener('message', ({ data }) => onMessage(data));
  const fail = (/** @type {Event} */ event) => {
    event.preventDefault(); // Or Deno would end the whole program.
    const message = 'message' in event ? String(event.message) : 'its script could not be loaded';
    onFailure(new Error(message));
  };
  worker.addEventListener('error', fail);
  worker.addEventListener('messageerror', fail);
  return {
    post: (message) => worker.postMessage(message),
    end: () => Promise.resolve(worker.terminate()),
  };
}

/** @type {typeof startThread} */
function startNodeThread(url, { onMessage, onFailure, onEnd }) {
  const { Worker: NodeThread } = nodeThreads();
  const thread = new NodeThread(url);
  thread.on('message', onMessage);
  thread.on('error', (/** @type {unknown} */ error) => onFailure(toError(error)));
  thread.on('messageerror', onFailure);
  thread.on('exit', () => onEnd?.());
  return {
    post: (message) => thread.postMessage(message),
    end: () => thread.terminate().then(() => undefined),
  };
}

/**
 * Gives this thread the name that Node.js 24 gives it. Node.js before 24 calls all its threads
 * "node", so that an observer could not tell the one that runs JavaScript from the collector's.
 */
function nameThread() {
  const files = findRuntime()?.getBuiltinModule?.('node:fs');
  const path = '/proc/thread-self/comm'; // Only Linux has it, and only there threads are watched.
  if (files.existsSync(path)) files.writeFileSync(path, 'WorkerThread');
}

function nodeThreads() {
  const threads = findRuntime()?.getBuiltinModule?.('node:worker_threads');
  if (threads !== undefined) return threads;
  throw new Error('This host has no threads that the kit knows.');
}

/** @param {unknown} value */
function toError(value) {
  return value instanceof Error ? value : new Error(String(value));
}
