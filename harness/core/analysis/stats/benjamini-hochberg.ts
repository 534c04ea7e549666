import { requireLevel, StatisticsRefusal } from './refusal.ts';

/**
 * Returns which of several p-values are discoveries, with the false discovery rate held at `rate`:
 * if there is nothing to find, the probability of any discovery is at most `rate`.
 *
 * Of n p-values in ascending order the k smallest are discoveries, for the largest k with
 * p_(k) ≤ rate · k / n. Source: Benjamini & Hochberg (1995), JRSS B 57:289–300; for p-values that
 * rise and fall together, Benjamini & Yekutieli (2001), Ann. Stat. 29:1165–1188. Assumption: the
 * p-values are independent, or positively dependent, as those of one machine's bad night are.
 *
 * @throws StatisticsRefusal `not-a-probability`, `bad-level`.
 */
export function benjaminiHochberg(ps: readonly number[], rate: number): readonly boolean[] {
  requireLevel(rate, 'false discovery rate');
  const strange = ps.find((p) => !(p >= 0 && p <= 1));
  if (strange !== undefined) {
    throw new StatisticsRefusal(
      'not-a-probability',
      `A p-value is ${String(strange)}; it has to lie from 0 to 1.`,
    );
  }
  const sorted = [...ps].sort((a, b) => a - b);
  const last = sorted.findLastIndex((p, index) => p <= (rate * (index + 1)) / ps.length);
  const limit = sorted[last] ?? -1;
  return ps.map((p) => p <= limit);
}

/** The p-value of an e-value: min(1, 1/E), valid at every look at once (Ville 1939). */
export function pValueOfLogE(logEValue: number): number {
  return Math.min(1, Math.exp(-logEValue));
}

/**
 * Selects the rows of a table, from the natural logarithms of the evidence for each: the k̂
 * largest, for the largest k̂ with e_[k̂] ≥ K / (k̂ · level), e sorted from the largest and K being
 * the size of the table. Each of them then holds at k̂ · level / K, the level of its interval in
 * `decideTable`.
 *
 * Source: Wang & Ramdas (2022), False discovery rate control with e-values, JRSS B 84:822–852. If
 * each e is an e-value (expectation at most 1 if its hypothesis is true), the false discovery rate
 * is at most `level`, however they depend on each other and whenever each comparison was stopped.
 * The e-value is that of the *last* look; the largest one seen is not an e-value.
 *
 * Smallest n: none; an empty table gives an empty answer. The results are in the order of the
 * input.
 * @throws StatisticsRefusal `not-an-e-value` (NaN), `bad-level`.
 */
export function eBh(logEValues: readonly number[], level = 0.05): boolean[] {
  requireLevel(level, 'false discovery rate');
  logEValues.forEach((logE, index) => {
    if (Number.isNaN(logE)) {
      throw new StatisticsRefusal(
        'not-an-e-value',
        `The e-value at index ${String(index)} is NaN.`,
      );
    }
  });
  const table = logEValues.length;
  const threshold = [...logEValues]
    .sort((a, b) => b - a)
    .filter((logE, index) => logE >= Math.log(table / ((index + 1) * level)))
    .at(-1);
  return logEValues.map((logE) => threshold !== undefined && logE >= threshold);
}
