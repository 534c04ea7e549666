import { medianSorted } from 'simple-statistics';
import { requireFinite, requireLevel } from './refusal.ts';

export interface MedianInterval {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Coverage that the interval really has, 0–1. 0 means: one value, of which nothing can be said. */
  readonly confidence: number;
}

/**
 * The distribution-free interval of the median from order statistics.
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
  // ln P(Binomial(n, 1/2) = k), kept as a logarithm because 2^−n is 0 in floating point from 1,075 on.
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
