import { compareClocks, makeShared, microsecondsBetween, outsideBy, stamp } from './clocks.js';
import { findThreadMaker } from './worker-thread.js';

/**
 * Starts workers and times them.
 *
 * @import { Agreement, Stamp } from './clocks.js'
 * @import { WorkerThread } from './worker-thread.js'
 */

/**
 * One thread: right before it was made, its first instruction by its own clock, and when its first
 * message was heard.
 * @typedef {object} ThreadTimes
 * @property {Stamp} made
 * @property {Stamp} began
 * @property {Stamp} heard
 */

/**
 * @typedef {object} Measured
 * @property {number} started Threads that added themselves to a counter in shared memory.
 * @property {readonly ThreadTimes[]} times In the order in which the threads were made.
 */

/** Web workers and threads of Node.js load the same file. */
const threadUrl = new URL('thread.js', import.meta.url);
const clockThreadUrl = new URL('clock-thread.js', import.meta.url);

/**
 * @param {{ threads: number, order: string, trouble: Promise<never> }} options `trouble` ends it all
 * @returns {Promise<Measured>}
 * @throws {Error} that says how many threads started; all of them have been ended.
 */
export async function measureThreads({ threads, order, trouble }) {
  const crew = new Crew(trouble);
  try {
    const times =
      order === 'parallel' ? await together(crew, threads) : await inTurn(crew, threads);
    return { started: crew.started(), times };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `Only ${String(crew.started())} of ${String(threads)} threads started: ${why}.`,
    );
  } finally {
    await crew.endAll();
  }
}

/** Each has ended before the next is made.
 * @param {Crew} crew
 * @param {number} threads
 */
async function inTurn(crew, threads) {
  const times = [];
  for (let i = 0; i < threads; i++) {
    times.push(await crew.start());
    await crew.endAll();
  }
  return times;
}

/** All are made before any is ended, as a program that joins its threads does.
 * @param {Crew} crew
 * @param {number} threads
 */
function together(crew, threads) {
  /** @type {Promise<ThreadTimes>[]} */
  const begun = [];
  for (let i = 0; i < threads; i++) begun.push(crew.start());
  return Promise.all(begun);
}

/** The threads that live, and the counter that they share. */
class Crew {
  /** @param {Promise<never>} trouble */
  constructor(trouble) {
    this.trouble = trouble;
    this.counter = new Int32Array(new SharedArrayBuffer(4));
    this.make = findThreadMaker();
    /** @type {WorkerThread[]} */
    this.living = [];
  }

  started() {
    return Atomics.load(this.counter, 0);
  }

  /**
   * Resolves when the thread has counted itself.
   * @returns {Promise<ThreadTimes>}
   */
  start() {
    /** @type {Promise<ThreadTimes>} */
    const counted = new Promise((resolve, reject) => {
      /** @type {ThreadTimes | null} */
      let times = null;
      const made = stamp();
      const thread = this.make(threadUrl, {
        onMessage: (message) => {
          if (times !== null) return resolve(times);
          times = { made, heard: stamp(), began: message };
          thread.post(this.counter);
        },
        onFailure: (why) => reject(new Error(why)),
      });
      this.living.push(thread);
    });
    return Promise.race([counted, this.trouble]);
  }

  async endAll() {
    await Promise.all(this.living.splice(0).map((thread) => thread.end()));
  }
}

/**
 * One more thread, after those that were timed, whose clock is compared with this thread's.
 *
 * @param {Promise<never>} trouble
 * @returns {Promise<Agreement>}
 */
export async function checkClocks(trouble) {
  const shared = makeShared();
  /** @type {WorkerThread | null} */
  let thread = null;
  try {
    /** @type {Promise<void>} */
    const listening = new Promise((resolve, reject) => {
      thread = findThreadMaker()(clockThreadUrl, {
        onMessage: () => resolve(),
        onFailure: (why) => reject(new Error(`The thread that compares clocks failed: ${why}.`)),
      });
      thread.post(shared);
    });
    await Promise.race([listening, trouble]);
    return compareClocks(shared);
  } finally {
    await /** @type {WorkerThread | null} */ (thread)?.end();
  }
}

/**
 * Times of a thread from its stamps, in microseconds.
 * @param {ThreadTimes} times
 */
export function readTimes({ made, began, heard }) {
  return {
    firstInstructionUs: microsecondsBetween(made, began),
    firstMessageUs: microsecondsBetween(made, heard),
  };
}

/**
 * By how much, at most, a first instruction was seen before its thread was made or after its message
 * was heard, in microseconds.
 * @param {readonly ThreadTimes[]} all
 */
export function worstOutside(all) {
  return Math.max(
    ...all.map(({ made, began, heard }) => outsideBy(began, { before: made, after: heard })),
  );
}
