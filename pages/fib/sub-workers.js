import { startThread } from '../kit/threads.js';

/**
 * Ours, not the source's: the recursion whose calls spawn sub-workers, of which it said that it is
 * not possible, because nothing can be awaited of a worker. A promise that the worker's message
 * resolves can.
 *
 * @typedef {{ value: number, workers: number }} Evaluated
 */

/**
 * Every call but the first has its worker, which its caller made; the workers of a branch
 * end with the message that answers for it.
 * @param {number} n
 * @returns {Promise<Evaluated>} the value, and how many workers answered
 */
export async function evaluateInWorkers(n) {
  if (n <= 0) return { value: 0, workers: 0 };
  if (n === 1) return { value: 1, workers: 0 };

  const [first, second] = await Promise.all([callInWorker(n - 1), callInWorker(n - 2)]);

  return { value: first.value + second.value, workers: first.workers + second.workers + 2 };
}

/** @type {(n: number) => Promise<number>} */
export async function workerFib(n) {
  return (await evaluateInWorkers(n)).value;
}

/**
 * @param {number} n
 * @returns {Promise<Evaluated>}
 */
function callInWorker(n) {
  return new Promise((resolve, reject) => {
    const thread = startThread(new URL('sub-worker.js', import.meta.url), {
      onMessage(answer) {
        void thread.end();
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer);
      },
      onFailure: reject,
    });
    thread.post(n);
  });
}
