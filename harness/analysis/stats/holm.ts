import { requireLevel, StatisticsRefusal } from './refusal.ts';

export interface HolmResult {
  readonly rejected: boolean;
  /** The smallest level at which this hypothesis would be rejected together with its table. */
  readonly adjustedP: number;
}

/**
 * Holm's step-down procedure: the probability of even one false rejection in the table is at most
 * `level`, however the p-values depend on each other. For a handful of comparisons; `eBh` is for tables.
 *
 * With p-values sorted from the smallest, adjusted p_[i] = max over j ≤ i of (K − j + 1) p_[j], at
 * most 1. Source: Holm (1979), Scand. J. Statist. 6:65–70.
 *
 * An e-value E gives the p-value min(1, 1/E); here also the largest E of all looks may be used
 * (Ville). Smallest n: none. Answers stand in the order of the input.
 * @throws StatisticsRefusal `not-a-probability`, `bad-level`.
 */
export function holm(pValues: readonly number[], level = 0.05): HolmResult[] {
  requireLevel(level, 'error rate');
  pValues.forEach((p, index) => {
    if (!(p >= 0 && p <= 1)) {
      throw new StatisticsRefusal(
        'not-a-probability',
        `The p-value at index ${String(index)} is ${String(p)}; it has to lie between 0 and 1.`,
      );
    }
  });
  const order = pValues.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p);
  const results = new Array<HolmResult>(pValues.length);
  let adjustedP = 0;
  order.forEach(({ p, index }, place) => {
    adjustedP = Math.min(1, Math.max(adjustedP, (pValues.length - place) * p));
    results[index] = { rejected: adjustedP <= level, adjustedP };
  });
  return results;
}

/** The p-value that an e-value gives: min(1, 1/E), valid at every look at once (Ville 1939). */
export function pValueOfLogE(logEValue: number): number {
  return Math.min(1, Math.exp(-logEValue));
}
