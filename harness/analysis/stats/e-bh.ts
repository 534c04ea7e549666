import { requireLevel, StatisticsRefusal } from './refusal.ts';

/**
 * Which rows of a table stand together, from the natural logarithms of what speaks for each: the
 * largest k̂ with e_[k̂] ≥ K / (k̂ · level), e sorted from the largest and K being the size of the
 * table; the k̂ largest are selected. Each of them then holds at k̂ · level / K, which is what
 * `decideTable` gives its intervals.
 *
 * Source: Wang & Ramdas (2022), False discovery rate control with e-values, JRSS B 84:822–852. If
 * each e is an e-value (expectation at most 1 if its hypothesis is true), the false discovery rate
 * is at most `level`, however they depend on each other and whenever each comparison was stopped. The
 * e-value is that of the *last* look; the largest seen is none.
 *
 * Smallest n: none; an empty table gives an empty answer. Answers stand in the order of the input.
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
