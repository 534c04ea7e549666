import { pause } from '../kit/clock.js';
import { runTrial } from '../kit/host.js';
import { startThread } from '../kit/threads.js';

/**
 * One trial of the visitor's page, which can be cancelled.
 *
 * @import { MeasurementRules, TrialResult } from '../protocol.d.ts'
 * @import { Notice, TrialOrder } from '../kit/host.js'
 * @import { Call, Point } from './try-queue.js'
 */

/** @type {MeasurementRules} A short look at each n, for a person who waits. */
const rules = {
  minGranules: 20,
  settled: { ms: 20, calls: 20 },
  window: { ms: 40, iterations: 1 },
  maxMs: 200,
};

/**
 * Measures one call. A worker that is cancelled ends at once, with the workers that it started; on
 * the main thread the call goes on to its end, and its result is dropped.
 *
 * @param {Call} call
 * @param {AbortSignal} signal
 * @returns {Promise<Point>} rejects with the signal's reason when it aborts
 */
export async function measureCall(call, signal) {
  signal.throwIfAborted();
  // So that the page is drawn before its thread is busy.
  await pause(0);
  const order = {
    href: new URL(location.pathname, location.href).href,
    benchmarkUrl: new URL('benchmark.js', import.meta.url).href,
    assignment: /** @type {const} */ ({
      protocol: 1,
      benchmark: 'fib',
      parameters: call,
      measurement: rules,
    }),
  };
  const beganAt = performance.now();
  const result = await (call.place === 'worker' ? runInWorker(order, signal) : runHere(order));
  signal.throwIfAborted();
  return {
    n: call.n,
    ms: meanOf(result),
    result,
    beganAt,
    wallMs: performance.now() - beganAt,
  };
}

/**
 * @param {TrialOrder} order
 * @returns {Promise<TrialResult>}
 */
function runHere(order) {
  return new Promise((resolve, reject) => {
    void runTrial(order, (notice) => settle(notice, { resolve, reject }));
  });
}

/**
 * @param {TrialOrder} order
 * @param {AbortSignal} signal
 * @returns {Promise<TrialResult>}
 */
async function runInWorker(order, signal) {
  const ended = new AbortController();
  /** @type {Promise<TrialResult>} */
  const result = new Promise((resolve, reject) => {
    const thread = startThread(new URL('../kit/worker.js', import.meta.url), {
      onMessage: (notice) => settle(notice, { resolve, reject }),
      onFailure: reject,
    });
    ended.signal.addEventListener('abort', () => void thread.end());
    signal.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal });
    thread.post(order);
  });
  return result.finally(() => ended.abort());
}

/**
 * @param {Notice} notice
 * @param {{ resolve: (result: TrialResult) => void, reject: (error: Error) => void }} promise
 */
function settle(notice, { resolve, reject }) {
  if (notice.kind === 'failed') reject(new Error(notice.error.message));
  if (notice.kind === 'completed') resolve(notice.result);
}

/**
 * The mean over the window as the farm reads it: without iterations that a slow machine disturbed,
 * where enough others are left.
 *
 * @param {TrialResult} result
 */
function meanOf({ samples, steadyState }) {
  const timed = samples[0]?.timed ?? [];
  const disturbed = new Set(steadyState?.disturbed);
  const calm = timed.filter((_, index) => !disturbed.has(index));
  const counted = calm.length >= Math.min(10, 0.1 * timed.length) ? calm : timed;
  return counted.reduce((sum, one) => sum + one, 0) / counted.length;
}
