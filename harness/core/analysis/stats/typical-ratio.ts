import { max, min } from 'simple-statistics';
import { requireFinite, requirePositive } from './refusal.ts';

/**
 * The scale of ψ: larger distances count as 1 %. It is half of the usual margin, and fixed before
 * any data is seen, because it is part of the estimate and of the bets.
 */
export const scale = 0.01;

/** ψ of Huber: proportional to the distance up to one scale, and constant beyond it. */
export function psi(distance: number): number {
  return Math.max(-1, Math.min(1, distance / scale));
}

/**
 * Returns the typical log ratio of the blocks seen: Huber's location, the θ with Σ ψ(d − θ) = 0. If
 * that is an interval, as between two distant values, its middle. It is a median that is smooth
 * within 1 %: one wild block of any size moves it little, and rounding by a clock does not make it
 * jump.
 *
 * Source: Huber (1964), Ann. Math. Statist. 35:73–101. Method: bisection from both sides, as the sum
 * never grows with θ. Assumption: none for the number itself. Smallest n: 1.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`.
 */
export function typicalLogRatio(differences: readonly number[]): number {
  requireFinite(differences, 'block difference');
  const sumAt = (shift: number): number => {
    let sum = 0;
    for (const difference of differences) sum += psi(difference - shift);
    return sum;
  };
  const least = crossing(differences, (shift) => sumAt(shift) > 0);
  const most = crossing(differences, (shift) => sumAt(shift) >= 0);
  return (least + most) / 2;
}

/** Reaches nearly the last digit of a double, for any range. */
const halvings = 64;

/** Finds where a condition ends that holds from the left on. */
function crossing(differences: readonly number[], holds: (shift: number) => boolean): number {
  let from = min([...differences]);
  let to = max([...differences]);
  if (holds(to)) return to;
  for (let step = 0; step < halvings; step += 1) {
    const middle = (from + to) / 2;
    if (holds(middle)) from = middle;
    else to = middle;
  }
  return to;
}

/** The values of two series in one block, in the same unit. */
export interface BlockPair {
  readonly a: number;
  readonly b: number;
}

/**
 * Returns the log ratio of each block: d = ln(a / b).
 *
 * Takes only blocks in which both series completed. Leaving out the others is harmless as long as a
 * trial does not fail *because* it was slow or fast.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive` (a time of 0 has no ratio).
 */
export function blockDifferences(pairs: readonly BlockPair[]): number[] {
  requirePositive(
    pairs.map(({ a }) => a),
    'value of the first series',
  );
  requirePositive(
    pairs.map(({ b }) => b),
    'value of the second series',
  );
  // A difference of logarithms cannot overflow, as the quotient of a huge and a tiny value could.
  return pairs.map(({ a, b }) => Math.log(a) - Math.log(b));
}
