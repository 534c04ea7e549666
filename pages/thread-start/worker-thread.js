import { findRuntime } from '../kit/host-facts.js';

/**
 * A thread as it is timed here: nothing between the call and the host's own `Worker`, its end can
 * be waited for, and an end that was not asked for is noticed.
 *
 * @typedef {object} WorkerThread
 * @property {(message: unknown) => void} post
 * @property {() => Promise<void>} end Resolves when it has ended; web workers do not report that: when asked to.
 */

/**
 * @typedef {object} WorkerListener
 * @property {(message: any) => void} onMessage
 * @property {(why: string) => void} onFailure It did not start, or ended by itself.
 */

/** As it is at first: in Node.js, Emscripten replaces it by its own class. */
const WebWorker = globalThis.Worker;

/**
 * How threads are made here. Found before anything is timed.
 * @returns {(url: URL, listener: WorkerListener) => WorkerThread}
 */
export function findThreadMaker() {
  if (typeof WebWorker === 'function') return makeWebWorker;
  const threads = findRuntime()?.getBuiltinModule?.('node:worker_threads');
  if (threads === undefined) throw new Error('This host has no threads that this benchmark knows.');
  return (url, listener) => makeNodeThread(threads, url, listener);
}

/** @type {(url: URL, listener: WorkerListener) => WorkerThread} */
function makeWebWorker(url, { onMessage, onFailure }) {
  const worker = new WebWorker(url, { type: 'module' });
  worker.addEventListener('message', ({ data }) => onMessage(data));
  worker.addEventListener('error', (event) => {
    event.preventDefault(); // Or Deno would end the whole program.
    onFailure('message' in event ? String(event.message) : 'its script could not be loaded');
  });
  return {
    post: (message) => worker.postMessage(message),
    end: async () => worker.terminate(),
  };
}

/** @type {(threads: any, url: URL, listener: WorkerListener) => WorkerThread} */
function makeNodeThread(threads, url, { onMessage, onFailure }) {
  const thread = new threads.Worker(url);
  thread.on('message', onMessage);
  thread.on('error', (/** @type {unknown} */ error) => onFailure(String(error)));
  thread.on('exit', (/** @type {number} */ code) => onFailure(`it ended with ${String(code)}`));
  return {
    post: (message) => thread.postMessage(message),
    end: async () => void (await thread.terminate()),
  };
}
