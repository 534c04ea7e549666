import { type FirstRound, mirroredSpan, type Span, spanOf } from './first-round.ts';
import {
  addDifference,
  type Evidence,
  evidenceOf,
  isRejected,
  logCapital,
} from './mixture-test.ts';
import { requireFinite, requireLevel } from './refusal.ts';
import { scale, typicalLogRatio } from './typical-ratio.ts';

/** Bounds of the typical ln(a / b). exp of them are the bounds of the ratio. */
export interface LogInterval {
  readonly low: number;
  readonly high: number;
}

/** What else is known of blocks that are compared. */
export interface Circumstances {
  readonly firstRound?: FirstRound;
  /** Share of a ratio that the clocks of both sides leave open, as a logarithm; 0 when left out. */
  readonly resolution?: number;
}

/**
 * Every log ratio θ that neither side of `logEValue` rejects at this look, {θ : A(θ) < 1/α and
 * B(θ) < 1/α}, widened at each end by the resolution. Null before `smallestBlocks(α)` and before the
 * end of a first round: until then any ratio is possible.
 *
 * Why this is an interval: A never grows with θ and B never falls (`logCapital`), so A rejects all
 * that lies below one point and B all that lies above another; what is kept lies between the two.
 * The bets alone always keep the typical ratio of the blocks seen (`typicalLogRatio`): there Σ ψ = 0,
 * so Π (1 + λψ) ≤ (mean of 1 + λψ)^n = 1, the geometric mean being at most the arithmetic one.
 * A first round may exclude it, if the ratio has changed since; then the interval of the bets alone
 * is given, which is wider and so holds as well.
 *
 * Coverage: P(at every look at once, the true θ is inside) ≥ 1 − α, for if θ is left out at a look,
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
  const span = firstRound === undefined ? null : spanOf(firstRound);
  const all = { seen: differences, alpha, span };
  const look = lookAt(all);
  if (look === null) return null;
  const isWhole = span === null || holds(look, typicalLogRatio(differences));
  const kept = isWhole ? look : lookAt({ ...all, span: { ...span, ...everywhere } });
  return kept === null ? null : { low: kept.low - resolution, high: kept.high + resolution };
}

/** The span of a first round that excludes nothing. */
const everywhere = { low: -Infinity, high: Infinity };

/** The blocks seen up to a look, and what is asked of them. */
interface Look {
  readonly seen: readonly number[];
  readonly alpha: number;
  readonly span: Span | null;
}

/** Both ends at one look; the low one lies above the high one if nothing is kept. */
function lookAt(look: Look): LogInterval | null {
  const low = firstBound(look);
  const high = firstBound(mirrored(look));
  return low === null || high === null ? null : { low: low.shift, high: 0 - high.shift };
}

function mirrored({ seen, alpha, span }: Look): Look {
  return {
    // Subtracted from 0, which has no negative twin: −0 would be another number to whoever compares.
    seen: seen.map((difference) => 0 - difference),
    alpha,
    span: span === null ? null : mirroredSpan(span),
  };
}

/** What all looks together say of one constant log ratio. */
export type RunningInterval =
  | { readonly kind: 'open' }
  | ({ readonly kind: 'bounded' } & LogInterval)
  | { readonly kind: 'empty' };

/**
 * The intersection of the intervals of all looks up to each block. Because they cover
 * *simultaneously*, so does their intersection, and it never grows. `empty` means that no single
 * ratio fits all blocks: the true ratio changed while it was measured (or the one case in 1/α
 * happened). Element i is the look at the first i + 1 blocks; none lies before the end of a first
 * round.
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
  const span = firstRound === undefined ? null : spanOf(firstRound);
  const all = { seen: differences, alpha, span };
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
 * The highest of the lower bounds of all looks up to each block; null before the first look, and as
 * long as no shift is rejected.
 *
 * Because A falls with θ, a look raises the bound if and only if it rejects the bound so far, and
 * the evidence about that one shift is brought up to date at the cost of one block. Only where it
 * rejects, some three looks in ten, the new bound has to be searched for.
 */
function runningLows({ seen, alpha, span }: Look, firstLook: number): (number | null)[] {
  let bound: Evidence | null = null;
  return seen.map((difference, index) => {
    if (index + 1 < firstLook) return null;
    const look = { seen: seen.slice(0, index + 1), alpha, span };
    bound = bound === null ? firstBound(look) : raised(bound, difference, look);
    return bound?.shift ?? null;
  });
}

/** The evidence about the smallest shift that A does not reject; null if it rejects none at all. */
function firstBound(look: Look): Evidence | null {
  const { seen, alpha, span } = look;
  // One scale below all blocks every bet has won all that it can.
  const from = Math.min(...seen, lowOf(span) ?? Infinity) - 2 * scale;
  const farthest = evidenceOf(seen, from, span);
  return isRejected(farthest, { side: 'above', alpha }) ? searchedBound(look, from) : null;
}

function lowOf(span: Span | null): number | null {
  return span !== null && Number.isFinite(span.low) ? span.low : null;
}

/** The smallest shift from `from` on that A does not reject; a hair below it rather than above. */
function searchedBound({ seen, alpha, span }: Look, from: number): Evidence {
  const excess = (shift: number) =>
    logCapital(evidenceOf(seen, shift, span), 'above') + Math.log(alpha);
  // Above all blocks every bet has lost.
  const to = Math.max(from, ...seen, lowOf(span) ?? -Infinity);
  return evidenceOf(seen, fallingRoot(excess, { from, to }), span);
}

function raised(bound: Evidence, difference: number, look: Look): Evidence {
  const evidence = addDifference(bound, difference - bound.shift);
  const { alpha } = look;
  return isRejected(evidence, { side: 'above', alpha })
    ? searchedBound(look, bound.shift)
    : evidence;
}

/** Whether a log ratio lies within an interval, but for rounding. */
export function holds({ low, high }: LogInterval, logRatio: number): boolean {
  const hair = 1e-9 * (1 + Math.abs(logRatio));
  return low - hair <= logRatio && logRatio <= high + hair;
}

/** Whether the whole interval lies beyond ± `bound` on one side. */
export function excludes({ low, high }: LogInterval, bound: number): boolean {
  return low > bound || high < -bound;
}

/** Whether the whole interval lies within ± `bound`. */
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

/** Roots are found to this share of the range, which is next to the last digit of a double. */
const tolerance = 1e-12;

/**
 * Where a falling, continuous function crosses zero. Given is the last point found at which it is
 * not yet negative, so the answer errs to one side only; `from` if it is negative there already,
 * `to` if it is not negative anywhere.
 *
 * Method: the bracket is first sought near `from`, in steps that double, as the callers' roots lie
 * there more often than not; then the Illinois variant of the false position, whose order is 1.44
 * and which never loses the bracket (Dowell & Jarratt 1971, BIT 11:168–174). Some 10 evaluations.
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
    // Next to an end that is all but the root, a step beyond the root closes the bracket.
    const x = Math.min(below.x - nearest, Math.max(above.x + nearest, guess));
    if (x <= above.x || x >= below.x) break;
    const y = f(x);
    // The value of an end that stays for the second time is halved, or it might stay for ever.
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
