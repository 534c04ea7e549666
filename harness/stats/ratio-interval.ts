import { mean } from 'simple-statistics';
import { fallingRoot } from './falling-root.ts';
import {
  addDifference,
  evidenceOf,
  isRejected,
  logCapital,
  smallestBlocks,
  type Evidence,
} from './mixture-test.ts';
import { requireFinite } from './refusal.ts';

/** Bounds of ln(a / b). exp of them are the bounds of the ratio. */
export interface LogInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Every log ratio θ that neither side of `logEValue` rejects at this look, {θ : A(θ) < 1/α and
 * B(θ) < 1/α}. Null before `smallestBlocks(α)`: until then any ratio is possible.
 *
 * Why this is an interval: A never grows with θ and B never falls (`logCapital`), so A rejects all
 * that lies below one point and B all that lies above another; what is kept lies between the two.
 * - Below the smallest difference the sign martingale alone brings A to 1/α.
 * - From there to the mean of the differences A is continuous and falls strictly, as only the part
 *   over the finite scales is left.
 * - At the mean S = 0 and M_λ = exp(λS) / Π cosh(λx) ≤ 1, so A < ½ < 1/α, and B likewise: the mean
 *   is always kept, so the interval of a look is never empty.
 * So its low end is the smallest difference or the one root of A = 1/α between that and the mean;
 * the high end is the same of −d.
 *
 * What is not claimed: that {θ : E(θ) < 1/α} is an interval. E = A + B is a sum of functions that
 * each have their own valley. As E is at least A and at least B, that set lies inside this interval,
 * and little smaller: below the mean B ≤ 0.42 (above it A), so all that A or B brings to 1/α − 0.42
 * and not to 1/α is at stake, 2 % of the evidence at α = 0.05.
 *
 * Coverage: P(at every look at once, the true θ is inside) ≥ 1 − α, for if θ is left out at a look,
 * E(θ) reached 1/α there (Ville 1939; Howard et al. 2021, Ann. Statist. 49:1055, for the
 * principle). The true θ is the centre about which d is symmetric.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function logInterval(differences: readonly number[], alpha: number): LogInterval | null {
  if (differences.length < smallestBlocks(alpha)) return null;
  return {
    low: firstBound(differences, alpha).shift,
    high: 0 - firstBound(mirrored(differences), alpha).shift,
  };
}

function mirrored(differences: readonly number[]): number[] {
  // Subtracted from 0, which has no negative twin: −0 would be another number to whoever compares.
  return differences.map((difference) => 0 - difference);
}

/** What all looks together say of one constant log ratio. */
export type RunningInterval =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'bounded' } & LogInterval)
  | { readonly kind: 'empty' };

/**
 * The intersection of the intervals of all looks up to each block. Because they cover
 * *simultaneously*, so does their intersection: it never grows, and a verdict, once reached, stays.
 * `empty` means that no single ratio fits all blocks: the true ratio changed while it was measured
 * (or the one case in 1/α happened). Element i is the look at the first i + 1 blocks.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function runningIntervals(differences: readonly number[], alpha: number): RunningInterval[] {
  requireFinite(differences, 'block difference');
  const lows = runningLows(differences, alpha);
  const highs = runningLows(mirrored(differences), alpha);
  return lows.map((low, index) => {
    const mirroredHigh = highs[index] ?? null;
    if (low === null || mirroredHigh === null) return { kind: 'open' };
    const high = 0 - mirroredHigh;
    return low <= high ? { kind: 'bounded', low, high } : { kind: 'empty' };
  });
}

interface LowerBound {
  readonly shift: number;
  /** Of all blocks so far about this very shift. */
  readonly evidence: Evidence;
}

/**
 * The highest of the lower bounds of all looks up to each block; null before the first look.
 *
 * Because A falls with θ, a look raises the bound if and only if it rejects the bound so far, and
 * the evidence about that one shift is brought up to date at the cost of one block. Only where it
 * rejects, some three looks in ten, the new bound has to be searched for.
 */
function runningLows(differences: readonly number[], alpha: number): (number | null)[] {
  const least = smallestBlocks(alpha);
  let bound: LowerBound | null = null;
  return differences.map((difference, index) => {
    if (index + 1 < least) return null;
    const seen = differences.slice(0, index + 1);
    bound = bound === null ? firstBound(seen, alpha) : raised(bound, { difference, seen, alpha });
    return bound.shift;
  });
}

function firstBound(seen: readonly number[], alpha: number): LowerBound {
  return searchedBound(seen, { alpha, from: Math.min(...seen) });
}

/** The smallest shift from `from` on that A does not reject; a hair below it rather than above. */
function searchedBound(
  seen: readonly number[],
  { alpha, from }: { readonly alpha: number; readonly from: number },
): LowerBound {
  const excess = (shift: number) => logCapital(evidenceOf(seen, shift), 'above') + Math.log(alpha);
  const shift = fallingRoot(excess, { from, to: Math.max(from, mean(seen)) });
  return { shift, evidence: evidenceOf(seen, shift) };
}

function raised(
  bound: LowerBound,
  look: { readonly difference: number; readonly seen: readonly number[]; readonly alpha: number },
): LowerBound {
  const { difference, seen, alpha } = look;
  const evidence = addDifference(bound.evidence, difference - bound.shift);
  if (!isRejected(evidence, { side: 'above', alpha })) return { shift: bound.shift, evidence };
  return searchedBound(seen, { alpha, from: bound.shift });
}

/** Whether the whole interval lies beyond ± `bound` on one side. */
export function excludes({ low, high }: LogInterval, bound: number): boolean {
  return low > bound || high < -bound;
}

/** Whether the whole interval lies within ± `bound`. */
export function isWithin({ low, high }: LogInterval, bound: number): boolean {
  return low >= -bound && high <= bound;
}
