import { requireLevel, StatisticsRefusal } from './refusal.ts';

/**
 * Which hypotheses of a table to reject so that the false discovery rate is at most `level`, from
 * the natural logarithms of their e-values: the e-BH procedure.
 *
 * With e-values sorted from the largest, k̂ is the largest k with e_[k] ≥ K / (k · level), K being
 * the size of the table; the k̂ largest are rejected. Source: Wang & Ramdas (2022), False discovery
 * rate control with e-values, JRSS B 84:822–852.
 *
 * Assumption: each is an e-value (expectation at most 1 if its hypothesis is true). They may depend
 * on each other in any way, as cells of one block do, and each comparison may have stopped at its
 * own time. The e-value is that of the *last* look; the largest seen is none.
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
