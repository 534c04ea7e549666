import { linkModule } from '../kit/linked-module.js';
import { startThread } from '../kit/threads.js';
import { checkDone, hashTimes, loadHash, shareOut } from './hashing.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 * @import { Thread } from '../kit/threads.js'
 * @import { Answer } from './hashing.js'
 */

export const id = 'worker-hash';

/** The same bounds as in `benchmark.json`. */
const bounds = { calls: [1, 100_000_000], threads: [0, 256] };

const workerUrl = new URL('worker.js', import.meta.url);

/**
 * @param {Parameters} parameters `place` concerns the host only
 * @returns {Promise<Preparation>}
 */
export async function prepare({ calls: allCalls, threads: count, implementation, run }) {
  const calls = within('calls', allCalls);
  const threads = within('threads', count);
  if (threads > calls) {
    throw new Error(`${String(threads)} threads cannot share ${String(calls)} calls.`);
  }
  const hash = await loadHash(implementation);
  const shares = shareOut(calls, threads);
  /** @type {Team} */
  const team = {
    script: await linkModule(workerUrl),
    implementation: String(implementation),
    running: [],
  };
  /** @type {Record<string, number>} */
  let counted = {};
  return {
    once:
      threads === 0
        ? () => [{ ...hashTimes(hash, calls), answers: 0 }]
        : () => hashOnThreads(shares, team),
    asynchronous: threads > 0,
    ...(run === 'first' && { firstRun: true }),
    check(value) {
      counted = countThreads(/** @type {Answer[]} */ (value), { calls, threads });
    },
    counters: () => counted,
    end: () => endAll(team),
  };
}

/**
 * @typedef {object} Team
 * @property {URL} script that each thread runs
 * @property {string} implementation
 * @property {Thread[]} running
 */

/**
 * Starts a thread for each share, gives it its order at once, and ends them all when all have
 * answered, or one has failed.
 *
 * @param {readonly number[]} shares
 * @param {Team} team
 * @returns {Promise<Answer[]>}
 */
async function hashOnThreads(shares, team) {
  try {
    return await Promise.all(shares.map((calls) => askThread(calls, team)));
  } finally {
    await endAll(team);
  }
}

/**
 * @param {number} calls
 * @param {Team} team
 * @returns {Promise<Answer>}
 */
function askThread(calls, { script, implementation, running }) {
  return new Promise((resolve, reject) => {
    const thread = startThread(script, {
      onMessage(answer) {
        if ('failure' in answer) reject(new Error(`A thread failed: ${answer.failure}`));
        else resolve(answer);
      },
      onFailure: reject,
      onEnd: () => reject(new Error('A thread ended before it had answered.')),
    });
    running.push(thread);
    thread.post({ calls, implementation });
  });
}

/** @param {Team} team of which no thread runs afterwards */
async function endAll({ running }) {
  await Promise.all(running.splice(0).map((thread) => thread.end()));
}

/**
 * Checks that every hash is right, that every answer is the first of its thread, so that there were
 * as many threads as answers, and that together they made all calls. The thread that asks does not
 * answer.
 *
 * @param {readonly Answer[]} answers
 * @param {{ calls: number, threads: number }} expected
 */
function countThreads(answers, expected) {
  for (const answer of answers) checkDone(answer);
  const threads = answers.filter((answer) => answer.answers === 1).length;
  const calls = answers.reduce((sum, answer) => sum + answer.calls, 0);
  if (threads === expected.threads && calls === expected.calls) return { threads, calls };
  throw new Error(
    `${String(threads)} threads made ${String(calls)} calls instead of ${String(expected.threads)} and ${String(expected.calls)}.`,
  );
}

/**
 * @param {'calls' | 'threads'} name
 * @param {unknown} value
 * @returns {number}
 */
function within(name, value) {
  const [least = 0, most = 0] = bounds[name];
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw new Error(`${name} cannot be ${String(value)}: it is ${String(least)} to ${String(most)}.`);
}
