import { requireLevel, StatisticsRefusal } from './refusal.ts';

/**
 * Which of several p-values are discoveries, with the false discovery rate held at `rate`: where
 * nothing is there to find at all, the probability of any discovery is at most `rate`.
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
