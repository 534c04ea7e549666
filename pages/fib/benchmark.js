import { countCalls } from './counted.js';
import * as published from './functions.js';
import { evaluateInWorkers, workerFib } from './sub-workers.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'fib';

const functions = { ...published, workerFib };

/**
 * The largest n of each function that ends within minutes and within a browser's memory. All
 * 2·fib(n + 1) − 1 calls of an asynchronous one are alive at once, at 375 bytes each (Node.js 20,
 * n = 27): 2.6 GB for n = 32. So are the workers of `workerFib`, all but one: 66 for n = 8. 1476 is the
 * largest n whose value is finite.
 * @type {Readonly<Record<keyof typeof functions, number>>}
 */
export const limits = {
  syncFib: 50,
  asyncFib: 32,
  syncBusyFib: 15,
  asyncBusyFib: 15,
  syncMemoFib: 1476,
  asyncMemoFib: 32,
  asyncPromiseMemoFib: 1476,
  workerFib: 8,
};

/** Counting repeats the whole recursion once, so it is left out where that would take long. */
const mostCounted = 28;

/** So few calls that they are always counted. */
const linear = new Set(['syncMemoFib', 'asyncPromiseMemoFib']);

/**
 * @param {Parameters} parameters `function` and `n`; `place` concerns the page only
 * @returns {Preparation}
 */
export function prepare({ function: name, n }) {
  const [chosen, evaluate] = functionNamed(name);
  const limit = limits[chosen];
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > limit) {
    throw new Error(`n of ${chosen} cannot be ${String(n)}: it is 1 to ${String(limit)}.`);
  }
  const expected = iterate(n);
  return {
    once: evaluate,
    argument: n,
    asynchronous: chosen.startsWith('async') || chosen === 'workerFib',
    // Its workers start again with each call, and a browser limits their number.
    firstRun: chosen === 'workerFib',
    check(value) {
      if (value === expected) return;
      const call = `${chosen}(${String(n)})`;
      throw new Error(`${call} gave ${String(value)} instead of ${String(expected)}.`);
    },
    /** @returns {Promise<Record<string, number>>} */
    async counters() {
      if (chosen === 'workerFib') {
        const { workers } = await evaluateInWorkers(n);
        return { calls: workers + 1, workers };
      }
      if (n > mostCounted && !linear.has(chosen)) return {};
      return { calls: (await countCalls(chosen, n)).calls };
    },
  };
}

/**
 * @param {unknown} name
 * @returns {[keyof typeof functions, (n: number) => number | Promise<number>]}
 */
function functionNamed(name) {
  for (const known of /** @type {(keyof typeof functions)[]} */ (Object.keys(functions))) {
    if (known === name) return [known, functions[known]];
  }
  throw new Error(`There is no function "${String(name)}".`);
}

/**
 * The value by a loop: the same additions of the same doubles as the recursions, so equal to the bit.
 * @param {number} n
 */
export function iterate(n) {
  let [previous, current] = [0, 1];
  for (let i = 1; i < n; i++) [previous, current] = [current, previous + current];
  return n <= 0 ? 0 : current;
}
