import { jump, spin } from '../kit/spin.js';

/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'control';

/**
 * @param {Parameters} parameters `rounds` of the loop, and `extraPercent` more of them; `place` concerns the page only
 * @returns {Preparation}
 */
export function prepare({ rounds, extraPercent }) {
  const total = totalRounds(Number(rounds), Number(extraPercent));
  const expected = jump(total);
  return {
    once: spin,
    argument: total,
    asynchronous: false,
    check(value) {
      if (value === expected) return;
      throw new Error(
        `${String(total)} rounds gave ${String(value)} instead of ${String(expected)}.`,
      );
    },
    counters: () => ({ rounds: total }),
  };
}

/**
 * Rounds with the extra ones: exactly that much more when `rounds` is a multiple of 100, else
 * rounded to a whole round.
 * @param {number} rounds
 * @param {number} extraPercent
 */
export function totalRounds(rounds, extraPercent) {
  if (!(rounds >= 1 && rounds <= 1e9)) throw new Error(`rounds cannot be ${String(rounds)}.`);
  if (!(extraPercent >= 0 && extraPercent <= 100)) {
    throw new Error(`extraPercent cannot be ${String(extraPercent)}.`);
  }
  return Math.round((rounds * (100 + extraPercent)) / 100);
}
