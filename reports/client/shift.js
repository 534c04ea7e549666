/**
 * The ratio of two targets by the ranks of their trials: Hodges and Lehmann's estimate over the
 * logarithms, and Mann and Whitney's interval of it. It is what the harness computes for two runs
 * (`harness/core/analysis/stats/shift-interval.ts` has the sources, and a test holds them equal), small
 * enough to embed, and always exact: P(U ≤ u) comes from the coefficients of the Gaussian binomial
 * (m + n over m), of which a lower tail takes nothing but the lower ones.
 */

const mostPairs = 40_000;

/** @type {Map<string, Float64Array>} */
const tails = new Map();

/** P(U ≤ u) for every u. @param {number} m @param {number} n */
function tailOf(m, n) {
  const key = `${String(m)} ${String(n)}`;
  const known = tails.get(key);
  if (known !== undefined) return known;
  const orders = new Float64Array(m * n + 1);
  orders[0] = 1;
  const at = (/** @type {number} */ u) => orders[u] ?? 0;
  let all = 1;
  for (let i = 1; i <= m; i += 1) {
    all *= (n + i) / i;
    for (let u = m * n; u >= n + i; u -= 1) orders[u] = at(u) - at(u - n - i);
    for (let u = i; u <= m * n; u += 1) orders[u] = at(u) + at(u - i);
  }
  let sum = 0;
  const tail = orders.map((count) => (sum += count / all));
  tails.set(key, tail);
  return tail;
}

/**
 * a / b with the interval that covers it with the wanted confidence in one look, or the reason why
 * it has no interval. All values are positive.
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @param {number} wanted
 * @returns {{ ratio: number; low: number; high: number } | { ratio: number; why: string }}
 */
export function shiftOf(a, b, wanted) {
  const all = Float64Array.from(
    a.flatMap((one) => b.map((other) => Math.log(one) - Math.log(other))),
  ).sort();
  const at = (/** @type {number} */ place) => Math.exp(all[place] ?? NaN);
  const middle = ((all[(all.length - 1) >> 1] ?? NaN) + (all[all.length >> 1] ?? NaN)) / 2;
  const ratio = Math.exp(middle);
  if (all.length > mostPairs) return { ratio, why: 'too many trials for an interval here' };
  const tail = tailOf(Math.min(a.length, b.length), Math.max(a.length, b.length));
  const covered = (/** @type {number} */ rank) => 1 - 2 * (tail[rank - 1] ?? NaN);
  let rank = 1;
  while (2 * (rank + 1) <= all.length + 1 && covered(rank + 1) >= wanted) rank += 1;
  if (covered(rank) < wanted) {
    const sizes = `${String(a.length)} against ${String(b.length)}`;
    return { ratio, why: `${sizes} trials: too few for an interval` };
  }
  return { ratio, low: at(rank - 1), high: at(all.length - rank) };
}
