import {
  addDifference,
  mixtureLogE,
  noDifferences,
  smallestBlocks,
  type DifferenceMoments,
} from './mixture-test.ts';
import { requireFinite } from './refusal.ts';

/** Bounds of ln(a / b). exp of them are the bounds of the ratio. */
export interface LogInterval {
  readonly low: number;
  readonly high: number;
}

/**
 * Every log ratio θ that `logEValue` does not reject at this look: {θ : E(θ) < 1/α}. Null before
 * `smallestBlocks(α)`: until then any ratio is possible.
 *
 * Why this is an interval although S(θ) = S − nθ and V(θ) = Σ(d − θ)² both move with θ:
 * - Outside the range of the data the sign martingale alone reaches 1/α, so nothing there is kept.
 * - Inside, E(θ) is the mixture, which depends on θ only by u = (mean − θ)², and
 *   ln E_ρ = −½ ln(1 + ρ²V) + ρ²n²u / (2 (1 + ρ²V)) with V = V₀ + nu, V₀ = Σ(d − mean)², grows with u
 *   as long as nu < (n − 1)(V₀ + 1/ρ²). By Samuelson's inequality (1968, JASA 63:1522) no value of
 *   the data is farther than nu = (n − 1)V₀ from the mean: E grows strictly from the mean outwards
 *   over the whole range, for every ρ, and so does the average.
 * So the kept set is [mean − r, mean + r] within [smallest, largest], with r the one root of
 * E = 1/α, found by bisection; its outer end is taken.
 *
 * Coverage: P(at every look at once, the true θ is inside) ≥ 1 − α (Ville 1939; Howard et al. 2021,
 * Ann. Statist. 49:1055, for the principle). The true θ is the centre about which d is symmetric.
 */
export function logInterval(moments: DifferenceMoments, alpha: number): LogInterval | null {
  if (moments.blocks < smallestBlocks(alpha)) return null;
  const { mean, smallest, largest } = moments;
  const reach = Math.max(mean - smallest, largest - mean, 0);
  const radius = widestKept(moments, { alpha, reach });
  return {
    low: Math.max(smallest, mean - radius),
    high: Math.min(largest, mean + radius),
  };
}

/** r of `logInterval`: bisection of a growing function between 0 and the end of the data. */
function widestKept(
  moments: DifferenceMoments,
  { alpha, reach }: { readonly alpha: number; readonly reach: number },
): number {
  const kept = (radius: number) => mixtureLogE(moments, moments.mean - radius) < -Math.log(alpha);
  if (kept(reach)) return reach;
  let inside = 0;
  let outside = reach;
  for (let step = 0; step < 50; step += 1) {
    const middle = (inside + outside) / 2;
    if (kept(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
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
  let moments = noDifferences;
  let running: RunningInterval = { kind: 'open' };
  return differences.map((difference) => {
    moments = addDifference(moments, difference);
    running = intersect(running, logInterval(moments, alpha));
    return running;
  });
}

/** Narrows the interval so far by that of one more look. */
export function intersect(running: RunningInterval, look: LogInterval | null): RunningInterval {
  if (look === null || running.kind === 'empty') return running;
  const low = running.kind === 'open' ? look.low : Math.max(running.low, look.low);
  const high = running.kind === 'open' ? look.high : Math.min(running.high, look.high);
  return low <= high ? { kind: 'bounded', low, high } : { kind: 'empty' };
}

/** Whether the whole interval lies beyond ± `bound` on one side. */
export function excludes({ low, high }: LogInterval, bound: number): boolean {
  return low > bound || high < -bound;
}

/** Whether the whole interval lies within ± `bound`. */
export function isWithin({ low, high }: LogInterval, bound: number): boolean {
  return low >= -bound && high <= bound;
}
