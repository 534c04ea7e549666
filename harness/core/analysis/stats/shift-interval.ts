import { errorFunction, medianSorted } from 'simple-statistics';
import type { Verdict } from '../../results/verdicts.ts';
import { excludes } from './ratio-interval.ts';
import { requireFinite, requireLevel, requirePositive } from './refusal.ts';
import {
  type Decision,
  type DecisionRules,
  defaultAlpha,
  defaultMargin,
  verdictOn,
} from './verdict.ts';

interface ShiftInterval {
  /** The median of all differences a − b (Hodges and Lehmann's estimate). */
  readonly shift: number;
  readonly low: number;
  readonly high: number;
  /** Actual coverage of the interval, 0–1. */
  readonly confidence: number;
  /** Two-sided, against no shift. */
  readonly p: number;
}

/**
 * Returns how far the values of `a` lie above those of `b`, if no value of the one belongs to a
 * value of the other: two runs with separate blocks. Distribution-free.
 *
 * Of all m · n differences a_i − b_j, sorted, [d_(k), d_(mn+1−k)] covers the shift with probability
 * 1 − 2 P(U ≤ k − 1), exactly for continuous distributions and at least for others; U is Mann and
 * Whitney's count of pairs in which a is larger, all orders of the m + n values being as likely. The
 * largest k that keeps the wanted confidence is taken. With too few values (fewer than 4 and 4, or
 * 3 and 5, for 0.95) it is the whole range, and `confidence` says what that covers: 0.9 for 3 and 3.
 * p is at most 1 − confidence if and only if the interval excludes 0; ties count against a shift.
 *
 * Sources: Mann & Whitney (1947), Ann. Math. Stat. 18:50–60; Hodges & Lehmann (1963), Ann. Math.
 * Stat. 34:598–611; Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 4.1 to 4.3.
 * Beyond 2,500 pairs the normal approximation with continuity correction replaces U's exact
 * distribution. Assumptions: the values are independent, and both series have one shape and differ
 * by a shift alone. One look, at sizes fixed in advance. It compares two *series*: anything else
 * that changed between the runs is in the shift, because no random order excludes it.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function shiftInterval(
  a: readonly number[],
  b: readonly number[],
  wanted = 0.95,
): ShiftInterval {
  requireFinite(a, 'value of a');
  requireFinite(b, 'value of b');
  requireLevel(wanted, 'confidence');
  const differences = [
    ...Float64Array.from(a.flatMap((one) => b.map((other) => one - other))).sort(),
  ];
  const tail = lowerTail(a.length, b.length);
  const { rank, confidence } = narrowestRank(differences.length, { tail, wanted });
  const notAbove = differences.filter((one) => one <= 0).length;
  const notBelow = differences.filter((one) => one >= 0).length;
  return {
    shift: medianSorted(differences),
    low: differences.at(rank - 1) ?? NaN,
    high: differences.at(-rank) ?? NaN,
    confidence,
    p: Math.min(1, 2 * tail(Math.min(notAbove, notBelow))),
  };
}

/** P(U ≤ u). */
type Tail = (u: number) => number;

interface RankRules {
  readonly tail: Tail;
  readonly wanted: number;
}

/** Finds k: the interval reaches from the k-th smallest difference to the k-th largest. */
function narrowestRank(
  pairs: number,
  { tail, wanted }: RankRules,
): { readonly rank: number; readonly confidence: number } {
  let rank = 1;
  while (2 * (rank + 1) <= pairs + 1 && 1 - 2 * tail(rank) >= wanted) rank += 1;
  return { rank, confidence: Math.max(0, 1 - 2 * tail(rank - 1)) };
}

/** With more pairs the exact distribution takes long, and the normal one is as good. */
const mostExact = 2_500;

function lowerTail(m: number, n: number): Tail {
  if (m * n > mostExact) return approximateTail(m, n);
  const cumulative = exactTail(Math.min(m, n), Math.max(m, n));
  return (u) => at(cumulative, Math.min(u, m * n));
}

/** U has mean mn/2 and variance mn(m + n + 1)/12. */
function approximateTail(m: number, n: number): Tail {
  const deviation = Math.sqrt((m * n * (m + n + 1)) / 12);
  return (u) => {
    const z = (u + 0.5 - (m * n) / 2) / deviation;
    return (1 + errorFunction(z / Math.SQRT2)) / 2;
  };
}

/** Cached: the same sizes occur in every case of a report. */
const exactTails = new Map<string, Float64Array>();

function exactTail(m: number, n: number): Float64Array {
  const key = `${String(m)} ${String(n)}`;
  const known = exactTails.get(key);
  if (known !== undefined) return known;
  let sum = 0;
  const cumulative = chancesOfU(m, n).map((chance) => (sum += chance));
  exactTails.set(key, cumulative);
  return cumulative;
}

/**
 * P(U = u) for every u, by Mann and Whitney's recursion: with chance i / (i + j) the largest of i +
 * j values is one of a, and then beats all j of b; else it is one of b, and beats none of a.
 */
function chancesOfU(m: number, n: number): Float64Array {
  let former = Array.from({ length: n + 1 }, () => Float64Array.of(1));
  for (let i = 1; i <= m; i += 1) {
    const row = [Float64Array.of(1)];
    for (let j = 1; j <= n; j += 1) {
      const chances = new Float64Array(i * j + 1);
      addTo(chances, former[j], { offset: j, chance: i / (i + j) });
      addTo(chances, row[j - 1], { offset: 0, chance: j / (i + j) });
      row.push(chances);
    }
    former = row;
  }
  return former[n] ?? Float64Array.of(1);
}

function addTo(
  sums: Float64Array,
  part: Float64Array = new Float64Array(),
  { offset, chance }: { readonly offset: number; readonly chance: number },
): void {
  part.forEach((one, u) => {
    sums[u + offset] = at(sums, u + offset) + chance * one;
  });
}

/** An existing value, for the compiler. */
function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? NaN;
}

/** The comparison of two series that were measured in different runs. */
export interface UnpairedDecision extends Pick<
  Decision,
  'ratio' | 'low' | 'high' | 'significant' | 'relevant'
> {
  /** Verdict on `a`, compared with `b`. */
  readonly verdict: Verdict;
  /** Against equality; for a table of them. */
  readonly p: number;
  /** Only for `undecided`. */
  readonly because: 'too-few-trials' | 'too-wide' | null;
}

/**
 * Decides the verdict over two series without a common block, from the trials of each: their ratio
 * a / b and its interval are those of `shiftInterval` over the logarithms, and the words mean the
 * same as in `decide`. With too few values for an interval of 1 − α there is neither interval nor
 * verdict.
 *
 * Unlike `decide` it holds for one look, and for the series as measured: only a comparison in
 * blocks shows whether the browser or the machine changed.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `bad-level`.
 */
export function decideUnpaired(
  a: readonly number[],
  b: readonly number[],
  { better, margin = defaultMargin, alpha = defaultAlpha }: DecisionRules,
): UnpairedDecision {
  requirePositive(a, 'value of a');
  requirePositive(b, 'value of b');
  const seen = shiftInterval(a.map(Math.log), b.map(Math.log), 1 - alpha);
  const { shift, low, high, p } = seen;
  if (seen.confidence < 1 - alpha) {
    return {
      verdict: 'undecided',
      ratio: Math.exp(shift),
      low: null,
      high: null,
      p,
      significant: false,
      relevant: false,
      because: 'too-few-trials',
    };
  }
  const verdict = verdictOn(seen, { better, margin });
  return {
    verdict,
    ratio: Math.exp(shift),
    low: Math.exp(low),
    high: Math.exp(high),
    p,
    significant: excludes(seen, 0),
    relevant: excludes(seen, Math.log1p(margin)),
    because: verdict === 'undecided' ? 'too-wide' : null,
  };
}
