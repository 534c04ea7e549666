import { askFreshProcess } from '../kit/fresh-process.js';
import { findRuntime } from '../kit/host-facts.js';
import { operations } from './operations.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'promise';

const most = 100_000;

/**
 * An operation that waits, and the check of its result.
 * @typedef {object} Waiting
 * @property {() => Promise<number>} once
 * @property {(value: unknown) => void} check
 */

/**
 * @param {Parameters} parameters `operation`, `n` and `state`; `place` concerns the host only
 * @returns {Preparation}
 */
export function prepare({ operation, n, state = 'warm' }) {
  const name = String(operation);
  const make = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (make === undefined) throw new Error(`There is no operation "${name}".`);
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > most) {
    throw new Error(`n cannot be ${String(n)}: it is 1 to ${String(most)}.`);
  }
  const check = (/** @type {unknown} */ value) => {
    if (value === n) return;
    throw new Error(`${name} waited ${String(value)} times instead of ${String(n)}.`);
  };
  const once = make(n); // Refuses what this host does not have, in every state.
  if (state === 'warm') return { once, asynchronous: true, check };
  if (state !== 'first') throw new Error(`state cannot be "${String(state)}": it is warm, first.`);
  return findRuntime() === null ? firstInPage({ once, check }) : firstInProcess(name, n, check);
}

/**
 * The first call in a page, once.
 * @param {Waiting} waiting
 * @returns {Preparation}
 */
function firstInPage({ once, check }) {
  /** @type {number[]} */
  const waiting = [];
  return {
    async once() {
      const start = performance.now();
      const value = await once();
      waiting.push(performance.now() - start);
      return value;
    },
    asynchronous: true,
    firstRun: true,
    also: [{ metric: 'waiting', unit: 'ms', values: waiting }],
    check,
  };
}

/**
 * The first call in a fresh process, in one process after the other.
 * @type {(operation: string, n: number, check: Waiting['check']) => Preparation}
 */
function firstInProcess(operation, n, check) {
  /** @type {number[]} */
  const waiting = [];
  const script = new URL('fresh-promises.cjs', import.meta.url);
  return {
    async once() {
      const { ms, value } = await askFreshProcess(script, { operation, n });
      waiting.push(ms);
      return value;
    },
    asynchronous: true,
    fresh: true,
    also: [{ metric: 'waiting', unit: 'ms', values: waiting }],
    check,
  };
}
