import autocannon from 'autocannon';
import { deadlineMs } from './load.js';

/** @import { Answer, Generator, Load, LoadOrder } from './load.js' */

/** How often autocannon looks whether it is done: it lets go that much after the last answer. */
const lookMs = 200;

/**
 * The package autocannon, in this process. Its own result is not used: it rounds latencies
 * to milliseconds and durations to its interval, so times are taken from the answers themselves,
 * and a load is over with the last of them.
 *
 * @returns {Generator}
 */
export function openAutocannon() {
  /** @type {Promise<unknown>[]} */
  const endings = [];
  return {
    load(order) {
      const { loaded, ended } = startLoad(order);
      endings.push(ended);
      return loaded;
    },
    async end() {
      await Promise.all(endings); // Each within one interval of its load's end, whatever came of it.
    },
  };
}

/**
 * @param {LoadOrder} order
 * @returns {{ loaded: Promise<Load>, ended: Promise<unknown> }}
 */
function startLoad(order) {
  const { requests, signal } = order;
  signal.throwIfAborted();
  /** @type {Load & { answers: Answer[] }} */
  const load = { elapsedMs: NaN, latencies: [], bytes: 0, answers: [] };
  const loaded = /** @type {Deferred<Load>} */ (defer());
  const ended = defer();
  const progress = () => `${String(load.latencies.length)} of ${String(requests)} answers`;
  const giveUp = (/** @type {unknown} */ reason) => {
    loaded.reject(reason);
    instance.stop();
  };
  const onAbort = () => giveUp(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    giveUp(new Error(`There were ${progress()} within ${String(deadlineMs / 1000)} s.`));
  }, deadlineMs);
  const tidy = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
  loaded.promise.then(tidy, tidy);

  const start = performance.now();
  const instance = autocannon(optionsOf(order, load.answers), (/** @type {unknown} */ error) => {
    loaded.reject(error ?? new Error(`The load ended after ${progress()}.`));
    ended.resolve(null);
  });
  instance.on('reqError', (/** @type {Error} */ { message }) => {
    giveUp(new Error(`The load failed after ${progress()}: ${message}`));
  });
  instance.on('response', (_client, _status, bytes, latencyMs) => {
    load.latencies.push(latencyMs);
    load.bytes += bytes;
    if (load.latencies.length < requests) return;
    load.elapsedMs = performance.now() - start;
    loaded.resolve(load);
  });
  return { loaded: loaded.promise, ended: ended.promise };
}

/**
 * @param {LoadOrder} order
 * @param {Answer[]} answers are kept here
 * @returns {autocannon.Options}
 */
function optionsOf({ url, concurrency, requests }, answers) {
  const onResponse = (/** @type {number} */ status, /** @type {string} */ body) => {
    answers.push({ status, body });
  };
  return {
    url,
    connections: concurrency,
    amount: requests,
    timeout: deadlineMs / 1000,
    sampleInt: lookMs,
    requests: [{ path: new URL(url).pathname, onResponse }],
  };
}

/**
 * A promise that is settled once: what comes later changes nothing.
 * @template Value
 * @typedef {object} Deferred
 * @property {Promise<Value>} promise
 * @property {(value: Value) => void} resolve
 * @property {(reason: unknown) => void} reject
 */

/** @returns {Deferred<any>} */
function defer() {
  /** @type {Partial<Deferred<any>>} */
  const parts = {};
  const promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return /** @type {Deferred<any>} */ ({ promise, ...parts });
}
