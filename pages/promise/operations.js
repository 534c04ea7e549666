/**
 * Asks the host to call a function later, in its own way.
 * @typedef {(turn: () => void) => void} Schedule
 */

/**
 * Each waits n times for nothing, and gives how often it did.
 * @type {Readonly<Record<string, (n: number) => () => Promise<number>>>}
 */
export const operations = {
  resolve: (n) => () => resolveTogether(n),
  chain: (n) => () => awaitInTurn(n),
  queueMicrotask: (n) => inTurns(n, (turn) => queueMicrotask(turn)),
  setTimeout: (n) => inTurns(n, (turn) => void setTimeout(turn, 0)),
  MessageChannel: (n) => inTurns(n, messageSchedule()),
  setImmediate: (n) => inTurns(n, immediateSchedule()),
};

/**
 * n promises that are empty from the start, awaited together.
 * @param {number} n
 */
async function resolveTogether(n) {
  /** @type {Promise<number>[]} */
  const promises = [];
  for (let i = 0; i < n; i++) promises.push(new Promise((resolve) => resolve(1)));
  const ones = await Promise.all(promises);
  return ones.reduce((sum, one) => sum + one, 0);
}

/**
 * The same, awaited one after the other: n turns of the microtask queue.
 * @param {number} n
 */
async function awaitInTurn(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += await new Promise((resolve) => resolve(1));
  return sum;
}

/**
 * @param {number} n
 * @param {Schedule} schedule
 * @returns {() => Promise<number>}
 */
function inTurns(n, schedule) {
  return () =>
    new Promise((resolve) => {
      let turns = 0;
      const turn = () => {
        turns += 1;
        if (turns < n) schedule(turn);
        else resolve(turns);
      };
      schedule(turn);
    });
}

/**
 * One channel for all turns: making it is not what is timed.
 * @returns {Schedule}
 */
function messageSchedule() {
  const { port1, port2 } = new MessageChannel();
  let next = () => {};
  port1.onmessage = () => next();
  return (turn) => {
    next = turn;
    port2.postMessage(null);
  };
}

/** @returns {Schedule} */
function immediateSchedule() {
  const { setImmediate } = /** @type {{ setImmediate?: Schedule }} */ (
    /** @type {unknown} */ (globalThis)
  );
  if (typeof setImmediate !== 'function') throw new Error('This host has no setImmediate.');
  return (turn) => setImmediate(turn);
}
