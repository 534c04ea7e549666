import {
  type FirstRound,
  mirroredRound,
  type RoundEvidence,
  computeRoundEvidence,
} from './first-round.ts';
import {
  addDifference,
  type Evidence,
  computeEvidence,
  isRejected,
  logCapital,
} from './mixture-test.ts';
import { requireFinite, requireLevel } from './refusal.ts';
import { scale, typicalLogRatio } from './typical-ratio.ts';

/** Bounds of the typical ln(a / b); exp gives the bounds of the ratio. */
export interface LogInterval {
  readonly low: number;
  readonly high: number;
}

/** Further facts about compared blocks. */
export interface Circumstances {
  readonly firstRound?: FirstRound;
  /**
   * The share of a ratio that the clocks of both sides leave open, as a logarithm; 0 by default.
   */
  readonly resolution?: number;
}

/**
 * Returns every log ratio θ that neither side of `logEValue` rejects at this look, {θ : A(θ) < 1/α
 * and B(θ) < 1/α}, widened at each end by the resolution. Null before `smallestBlocks(α)` and
 * before the end of a first round: until then any ratio is possible.
 *
 * It is an interval because A never grows with θ and B never falls (`logCapital`): A rejects
 * everything below one point and B everything above another. The bets alone always keep the typical
 * ratio of the blocks seen (`typicalLogRatio`): there Σ ψ = 0, so Π (1 + λψ) ≤ (mean of 1 + λψ)^n =
 * 1, the geometric mean being at most the arithmetic one. A first round may exclude it if the ratio
 * has changed since; then the interval of the bets alone is given, which is wider and so holds as
 * well.
 *
 * Coverage: P(at every look at once, the true θ is inside) ≥ 1 − α, because if a look excludes θ,
 * E(θ) reached 1/α there (Ville 1939; Howard et al. 2021, Ann. Statist. 49:1055, for the
 * principle). The true θ is the typical log ratio, E ψ(d − θ) = 0. A clock that is off by less than
 * its resolution moves each d, and so θ, by no more than that: ψ is monotone.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function logInterval(
  differences: readonly number[],
  alpha: number,
  { firstRound, resolution = 0 }: Circumstances = {},
): LogInterval | null {
  requireFinite(differences, 'block difference');
  requireLevel(alpha, 'error rate');
  if (differences.length < (firstRound?.blocks ?? 0)) return null;
  const round = firstRound === undefined ? null : computeRoundEvidence(firstRound);
  const all = { seen: differences, alpha, round };
  const look = lookAt(all);
  if (look === null) return null;
  const isWhole = round === null || holds(look, typicalLogRatio(differences));
  const kept = isWhole ? look : lookAt({ ...all, round: { ...round, above: [], below: [] } });
  return kept === null ? null : { low: kept.low - resolution, high: kept.high + resolution };
}

/** The blocks up to a look, and its level. */
interface Look {
  readonly seen: readonly number[];
  readonly alpha: number;
  readonly round: RoundEvidence | null;
}

/** Returns both ends at one look; the low one lies above the high one if nothing is kept. */
function lookAt(look: Look): LogInterval | null {
  const low = firstBound(look);
  const high = firstBound(mirrored(look));
  return low === null || high === null ? null : { low: low.shift, high: 0 - high.shift };
}

function mirrored({ seen, alpha, round }: Look): Look {
  return {
    // Subtracted from 0 to avoid −0, which comparisons treat as another number.
    seen: seen.map((difference) => 0 - difference),
    alpha,
    round: round === null ? null : mirroredRound(round),
  };
}

/** The result of all looks together for one constant log ratio. */
export type RunningInterval =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'bounded' } & LogInterval)
  | { readonly kind: 'empty' };

/**
 * Returns the intersection of the intervals of all looks up to each block. They cover
 * *simultaneously*, so their intersection does as well, and it never grows. `empty` means that no
 * single ratio fits all blocks: the true ratio changed during the measurement (or the one case in
 * 1/α happened). Element i is the look at the first i + 1 blocks; none lies before the end of a
 * first round.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function runningIntervals(
  differences: readonly number[],
  alpha: number,
  { firstRound, resolution = 0 }: Circumstances = {},
): RunningInterval[] {
  requireFinite(differences, 'block difference');
  requireLevel(alpha, 'error rate');
  const round = firstRound === undefined ? null : computeRoundEvidence(firstRound);
  const all = { seen: differences, alpha, round };
  const first = firstRound?.blocks ?? 1;
  const lows = runningLows(all, first);
  const highs = runningLows(mirrored(all), first);
  return lows.map((bound, index) => {
    const mirroredHigh = highs[index] ?? null;
    if (bound === null || mirroredHigh === null) return { kind: 'open' };
    const [low, high] = [bound - resolution, 0 - mirroredHigh + resolution];
    return low <= high ? { kind: 'bounded', low, high } : { kind: 'empty' };
  });
}

/**
 * Returns the highest of the lower bounds of all looks up to each block; null before the first
 * look, and while no shift is rejected.
 *
 * A falls with θ, so a look raises the bound if and only if it rejects the bound so far, and the
 * evidence about that one shift is updated at the cost of one block. Only if it rejects, at some
 * three looks in ten, the new bound is searched for.
 */
function runningLows({ seen, alpha, round }: Look, firstLook: number): (number | null)[] {
  let bound: Evidence | null = null;
  return seen.map((difference, index) => {
    if (index + 1 < firstLook) return null;
    const look = { seen: seen.slice(0, index + 1), alpha, round };
    bound = bound === null ? firstBound(look) : raised(bound, difference, look);
    return bound?.shift ?? null;
  });
}

/**
 * Returns the evidence about the smallest shift that A does not reject; null if it rejects none.
 */
function firstBound(look: Look): Evidence | null {
  const { seen, alpha, round } = look;
  // One scale below all blocks every bet has won all it can.
  const from = Math.min(...seen, ...boundsOf(round)) - 2 * scale;
  const farthest = computeEvidence(seen, from, round);
  return isRejected(farthest, { side: 'above', alpha }) ? searchedBound(look, from) : null;
}

function boundsOf(round: RoundEvidence | null): readonly number[] {
  return (round?.above ?? []).map(({ bound }) => bound).filter(Number.isFinite);
}

/**
 * Finds the smallest shift from `from` on that A does not reject; slightly below rather than above
 * it.
 */
function searchedBound({ seen, alpha, round }: Look, from: number): Evidence {
  const excess = (shift: number) =>
    logCapital(computeEvidence(seen, shift, round), 'above') + Math.log(alpha);
  // Above all blocks every bet has lost.
  const to = Math.max(from, ...seen, ...boundsOf(round));
  return computeEvidence(seen, fallingRoot(excess, { from, to }), round);
}

function raised(bound: Evidence, difference: number, look: Look): Evidence {
  const evidence = addDifference(bound, difference - bound.shift);
  const { alpha } = look;
  return isRejected(evidence, { side: 'above', alpha })
    ? searchedBound(look, bound.shift)
    : evidence;
}

/** Returns true if a log ratio lies within an interval, up to rounding. */
export function holds({ low, high }: LogInterval, logRatio: number): boolean {
  const hair = 1e-9 * (1 + Math.abs(logRatio));
  return low - hair <= logRatio && logRatio <= high + hair;
}

/** Returns whether the whole interval lies beyond ± `bound` on one side. */
export function excludes({ low, high }: LogInterval, bound: number): boolean {
  return low > bound || high < -bound;
}

/** Returns whether the whole interval lies within ± `bound`. */
export function isWithin({ low, high }: LogInterval, bound: number): boolean {
  return low >= -bound && high <= bound;
}

interface RootRange {
  readonly from: number;
  readonly to: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Precision of roots as a share of the range, near the last digit of a double. */
const tolerance = 1e-12;

/**
 * Finds where a falling, continuous function crosses zero. Returns the last point found at which it
 * is not yet negative, so the answer errs to one side only; `from` if it is negative there already,
 * `to` if it is negative nowhere.
 *
 * Method: the bracket is first searched near `from`, in steps that double, because the callers'
 * roots are usually there; then the Illinois variant of the false position, whose order is 1.44 and
 * which never loses the bracket (Dowell & Jarratt 1971, BIT 11:168–174). Some 10 evaluations.
 */
export function fallingRoot(f: (x: number) => number, range: RootRange): number {
  const start = { x: range.from, y: f(range.from) };
  if (start.y < 0) return range.from;
  const bracket = bracketFrom(start, { f, to: range.to });
  return bracket === null ? range.to : illinois(f, { ...bracket, width: range.to - range.from });
}

function bracketFrom(
  start: Point,
  { f, to }: { readonly f: (x: number) => number; readonly to: number },
): { readonly above: Point; readonly below: Point } | null {
  let above = start;
  for (let step = (to - start.x) / 1024; above.x < to; step *= 2) {
    const x = Math.min(to, above.x + step);
    const y = f(x);
    if (y < 0) return { above, below: { x, y } };
    if (x === above.x) return null;
    above = { x, y };
  }
  return null;
}

function illinois(
  f: (x: number) => number,
  bracket: { readonly above: Point; readonly below: Point; readonly width: number },
): number {
  let { above, below } = bracket;
  let stayed: 'above' | 'below' | null = null;
  const nearest = (tolerance * bracket.width) / 2;
  while (below.x - above.x > 2 * nearest) {
    const secant = (above.x * below.y - below.x * above.y) / (below.y - above.y);
    const guess = Number.isFinite(secant) ? secant : (above.x + below.x) / 2;
    // Next to an end that is almost the root, a step beyond the root closes the bracket.
    const x = Math.min(below.x - nearest, Math.max(above.x + nearest, guess));
    if (x <= above.x || x >= below.x) break;
    const y = f(x);
    // The value of an end that stays a second time is halved, or it might stay for ever.
    if (y >= 0) {
      above = { x, y };
      if (stayed === 'below') below = { x: below.x, y: below.y / 2 };
      stayed = 'below';
    } else {
      below = { x, y };
      if (stayed === 'above') above = { x: above.x, y: above.y / 2 };
      stayed = 'above';
    }
  }
  return above.x;
}
