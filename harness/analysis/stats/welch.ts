import { StatisticsRefusal } from './refusal.ts';
import { studentTwoSidedP } from './student-t.ts';

/** Count, mean and Σ(x − mean)² of one group. */
export interface GroupMoments {
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
}

export const noValues: GroupMoments = { count: 0, mean: 0, squares: 0 };

/** The moments after one more value (Welford 1962). */
export function addValue({ count, mean, squares }: GroupMoments, value: number): GroupMoments {
  const step = value - mean;
  const next = mean + step / (count + 1);
  return { count: count + 1, mean: next, squares: squares + step * (value - next) };
}

/**
 * Two-sided p-value of Welch's t-test for a difference of means.
 *
 * The farm decides nothing by it: it is the yardstick against which `decide` is measured. It assumes
 * independent, nearly normal values and *one* look at a size fixed in advance; looked at again and
 * again it reports differences where there are none, which the tests show.
 *
 * Source: Welch (1947), Biometrika 34:28–35; degrees of freedom by Satterthwaite (1946).
 * Smallest n: 2 values in each group.
 * @throws StatisticsRefusal `too-few`.
 */
export function welchP(a: GroupMoments, b: GroupMoments): number {
  if (a.count < 2 || b.count < 2) {
    throw new StatisticsRefusal('too-few', "Welch's test needs two values in each group.");
  }
  const ofA = a.squares / (a.count - 1) / a.count;
  const ofB = b.squares / (b.count - 1) / b.count;
  const variance = ofA + ofB;
  if (variance === 0) return a.mean === b.mean ? 1 : 0;
  const degrees = variance ** 2 / (ofA ** 2 / (a.count - 1) + ofB ** 2 / (b.count - 1));
  return studentTwoSidedP((a.mean - b.mean) / Math.sqrt(variance), degrees);
}
