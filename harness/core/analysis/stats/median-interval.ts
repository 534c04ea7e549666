import { median, medianSorted } from 'simple-statistics';
import { requireFinite, requireLevel } from './refusal.ts';

interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Actual coverage of the interval, 0–1. 0 means a single value, with no interval. */
  readonly confidence: number;
}

/**
 * Returns the median with its distribution-free interval from order statistics.
 *
 * Of n sorted values, [x_(k), x_(n+1−k)] covers the median with probability
 * 1 − 2 P(Binomial(n, 1/2) ≤ k − 1), exactly for continuous distributions and at least for others.
 * The largest k that keeps the wanted confidence is taken: the narrowest symmetric interval. With
 * too few values (fewer than 6 for 0.95) it is the whole range, and `confidence` says what that
 * covers: 0.75 for n = 3, 0.5 for n = 2, 0 for n = 1.
 *
 * Source: Thompson (1936), Ann. Math. Stat. 7:122–128; David & Nagaraja, Order Statistics, 7.1.
 * Assumption: the values are independent draws from one distribution; nothing about its shape.
 * It is not time-uniform: it describes one series, and no comparison may be decided by it.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function medianInterval(values: readonly number[], confidence = 0.95): MedianInterval {
  requireFinite(values, 'value');
  requireLevel(confidence, 'confidence');
  const sorted = [...values].sort((a, b) => a - b);
  const { rank, coverage } = narrowestRank(sorted.length, confidence);
  return {
    median: medianSorted(sorted),
    low: sorted.at(rank - 1) ?? NaN,
    high: sorted.at(-rank) ?? NaN,
    confidence: coverage,
  };
}

interface RankedCoverage {
  /** k: the interval reaches from the k-th smallest to the k-th largest value. */
  readonly rank: number;
  readonly coverage: number;
}

function narrowestRank(count: number, confidence: number): RankedCoverage {
  // ln P(Binomial(n, 1/2) = k): a logarithm, because 2^−n is 0 in floating point from 1,075 on.
  let logMass = -count * Math.LN2;
  let tail = Math.exp(logMass);
  let found: RankedCoverage = { rank: 1, coverage: 1 - 2 * tail };
  for (let rank = 2; 2 * rank <= count; rank += 1) {
    logMass += Math.log((count - rank + 2) / (rank - 1));
    tail += Math.exp(logMass);
    const coverage = 1 - 2 * tail;
    if (coverage < confidence) break;
    found = { rank, coverage };
  }
  return found;
}

interface MedianBounds {
  readonly median: number;
  /** Bounds that hold at every look at once; null before `smallestValues(α)`. */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Returns the median of one series with an interval that may be looked at after every value.
 *
 * For a candidate m that is the true median, each value lies above m with probability q ≤ ½, given
 * its past. So (2p)^k · (2(1 − p))^(n−k), with k of n values above m and any fixed p ≥ ½, is a
 * nonnegative supermartingale that starts at 1, and so is its mean over p uniform on [½, 1]:
 *
 *     E = 2^(n+1) · ∫ p^k (1−p)^(n−k) dp over [½, 1] = 2^(n+1) / ((n+1) · C(n, k)) · P(Bin(n+1, ½) ≤ k)
 *
 * (Ville 1939 for the mixture; the integral is the incomplete beta function, which for whole
 * numbers is a binomial sum.) m is left out as soon as E of the values above it, or of those below
 * it, reaches 2/α: each side may err with α/2. Because E depends on m by k alone, what is kept lies
 * between two order statistics; the bounds given are the tightest of all looks.
 *
 * Assumption: one median, and values that lie above it as a fair coin would fall, independent of
 * the ones before: independent trials of one distribution do. Nothing about its shape. Unlike the
 * comparison of two series it is not protected by the order inside a block: a machine that drifts
 * moves the median. Smallest n: 8 for α = 0.05.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function medianSequence(values: readonly number[], alpha: number): MedianBounds {
  requireFinite(values, 'value');
  requireLevel(alpha, 'error rate');
  let low = -Infinity;
  let high = Infinity;
  const sorted: number[] = [];
  for (const value of values) {
    insert(sorted, value);
    const rank = rejectedRank(sorted.length, alpha);
    if (rank === null) continue;
    low = Math.max(low, sorted.at(-rank) ?? -Infinity);
    high = Math.min(high, sorted[rank - 1] ?? Infinity);
  }
  const bounded = Number.isFinite(low) && low <= high;
  return { median: median([...values]), low: bounded ? low : null, high: bounded ? high : null };
}

/** Returns the fewest values with bounds. */
export function smallestValues(alpha: number): number {
  requireLevel(alpha, 'error rate');
  let count = 1;
  while (rejectedRank(count, alpha) === null) count += 1;
  return count;
}

/**
 * Returns the smallest k for which "k of n values lie above m" excludes m; null if not even n does.
 */
function rejectedRank(count: number, alpha: number): number | null {
  const threshold = Math.log(2 / alpha);
  let rank: number | null = null;
  for (let above = count; above > count / 2; above -= 1) {
    if (logEvidence(count, above) < threshold) break;
    rank = above;
  }
  return rank;
}

/** ln E of the docstring. */
function logEvidence(count: number, above: number): number {
  return (
    (count + 1) * Math.LN2 -
    Math.log(count + 1) -
    logChoose(count, above) +
    Math.log(binomialTail(count + 1, above))
  );
}

/** P(Binomial(n, ½) ≤ k). */
function binomialTail(count: number, most: number): number {
  let sum = 0;
  for (let k = 0; k <= most; k += 1) sum += Math.exp(logChoose(count, k) - count * Math.LN2);
  return Math.min(1, sum);
}

function logChoose(count: number, chosen: number): number {
  return logFactorial(count) - logFactorial(chosen) - logFactorial(count - chosen);
}

/** ln n!, cached: without the cache 400 values took 7 s instead of a fraction of one. */
const logFactorials: number[] = [0];

function logFactorial(n: number): number {
  let last = logFactorials.at(-1) ?? 0;
  for (let i = logFactorials.length; i <= n; i += 1) {
    last += Math.log(i);
    logFactorials.push(last);
  }
  return logFactorials[n] ?? NaN;
}

function insert(sorted: number[], value: number): void {
  const place = sorted.findIndex((other) => other > value);
  sorted.splice(place === -1 ? sorted.length : place, 0, value);
}
