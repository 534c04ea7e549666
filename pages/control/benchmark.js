/**
 * @import { Parameters } from '../protocol.d.ts'
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'control';

/** Knuth's and Lewis's "quick and dirty" generator (Numerical Recipes in C, 2nd edition, section 7.1). */
const multiplier = 1664525;
const increment = 1013904223;

/** Thirty bits: an engine keeps such an integer without allocating. */
const small = 0x3fffffff;

/**
 * @param {Parameters} parameters `rounds` of the loop, and `extraPercent` more of them; `place` concerns the page only
 * @returns {Preparation}
 */
export function prepare({ rounds, extraPercent }) {
  const total = totalRounds(Number(rounds), Number(extraPercent));
  const expected = jump(total);
  return {
    once: () => spin(total),
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

/**
 * The work: each round needs the one before it, so none can be left out or done at the same time.
 * @param {number} rounds
 */
export function spin(rounds) {
  let x = 1;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, multiplier) + increment) | 0;
  return x & small;
}

/**
 * What `spin` must give, found without it: one round is x → a·x + c modulo 2³², and such maps are
 * composed by repeated squaring.
 * @param {number} rounds
 */
export function jump(rounds) {
  let [a, c] = [1, 0];
  let [squareA, squareC] = [multiplier, increment];
  for (let left = rounds; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) {
      [a, c] = [Math.imul(squareA, a), (Math.imul(squareA, c) + squareC) | 0];
    }
    squareC = (Math.imul(squareA, squareC) + squareC) | 0;
    squareA = Math.imul(squareA, squareA);
  }
  return ((a + c) | 0) & small;
}
