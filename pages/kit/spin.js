/** Knuth's and Lewis's "quick and dirty" generator (Numerical Recipes in C, 2nd edition, section 7.1). */
const multiplier = 1664525;
const increment = 1013904223;

/** Thirty bits: an engine keeps such an integer without allocating. */
const small = 0x3fffffff;

/**
 * A known amount of work: each round needs the one before it, so none can be left out or done at
 * the same time. Two calls in a row can still overlap inside a processor, which looks a hundred
 * rounds ahead, unless the second starts from what the first gave: `spin(m, spin(n))` is `spin(n + m)`.
 * @param {number} rounds
 * @param {number} [from]
 */
export function spin(rounds, from = 1) {
  let x = from;
  for (let i = 0; i < rounds; i++) x = (Math.imul(x, multiplier) + increment) | 0;
  return x & small;
}

/**
 * Computes the result that `spin` must give, without it: one round is x → a·x + c modulo 2³², and
 * such maps are composed by repeated squaring.
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
