import { expect, test } from '@playwright/test';
import golden from './golden/scipy.json' with { type: 'json' };
import { medianInterval } from './median-interval.ts';
import { seededGenerator } from './random.ts';
import { rateInterval } from './rate-interval.ts';
import { StatisticsRefusal } from './refusal.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

test('rank and coverage agree with SciPy’s binomial distribution', () => {
  for (const { n, wanted, rank, coverage } of golden.medianCoverage) {
    const seen = medianInterval(upTo(n), wanted);
    expect(seen.low, `n=${n} wanted=${wanted}`).toBe(rank);
    expect(seen.high).toBe(n + 1 - rank);
    expect(seen.confidence).toBeCloseTo(coverage, 10);
  }
});

/** Slow twin: counts, with exact integers, in how many of all 2^n placements the median is inside. */
function exactCoverage(n: number, rank: number): number {
  let ways = 1n;
  let outside = 0n;
  for (let k = 0; k < rank; k += 1) {
    outside += ways;
    ways = (ways * BigInt(n - k)) / BigInt(k + 1);
  }
  const scale = 10n ** 15n;
  return Number(((2n ** BigInt(n) - 2n * outside) * scale) / 2n ** BigInt(n)) / Number(scale);
}

test('the slow twin in exact integers finds the same narrowest interval', () => {
  for (const n of upTo(80)) {
    for (const wanted of [0.5, 0.8, 0.95, 0.999]) {
      const ranks = upTo(Math.max(1, Math.floor(n / 2)));
      const rank = ranks.filter((k) => exactCoverage(n, k) >= wanted).at(-1) ?? 1;
      const seen = medianInterval(upTo(n), wanted);
      expect(seen.low, `n=${n} wanted=${wanted}`).toBe(rank);
      expect(seen.confidence).toBeCloseTo(exactCoverage(n, rank), 12);
    }
  }
});

test('few values give the whole range and the coverage that it really has', () => {
  expect(medianInterval([5])).toEqual({ median: 5, low: 5, high: 5, confidence: 0 });
  expect(medianInterval([5, 3])).toEqual({ median: 4, low: 3, high: 5, confidence: 0.5 });
  expect(medianInterval([9, 1, 4])).toEqual({ median: 4, low: 1, high: 9, confidence: 0.75 });
  expect(medianInterval(upTo(5)).confidence).toBeLessThan(0.95);
  expect(medianInterval(upTo(6)).confidence).toBeGreaterThan(0.95);
});

test('the order of the values does not matter, and they are left alone', () => {
  const values = Object.freeze([3, 1, 2, 9, 4, 4, 8, 0, 7]);
  expect(medianInterval(values)).toEqual(medianInterval([...values].sort((a, b) => a - b)));
});

test('a simulated interval covers as often as it says, for a skewed distribution', () => {
  const generator = seededGenerator(2);
  const rounds = 4000;
  let covered = 0;
  let stated = 0;
  for (let round = 0; round < rounds; round += 1) {
    const values = Array.from({ length: 12 }, () => Math.exp(generator.normal()));
    const { low, high, confidence } = medianInterval(values);
    stated = confidence;
    if (low <= 1 && 1 <= high) covered += 1;
  }
  const rate = rateInterval({ count: covered, of: rounds, confidence: 0.999 });
  expect(rate.low).toBeLessThan(stated);
  expect(rate.high).toBeGreaterThan(stated);
  expect(rate.low).toBeGreaterThan(0.94);
});

for (const [name, values] of [
  ['nothing', []],
  ['NaN', [1, NaN]],
  ['infinity', [1, Infinity]],
] as const) {
  test(`the median of ${name} is refused`, () => {
    expect(() => medianInterval(values)).toThrow(StatisticsRefusal);
  });
}

test('a confidence of 1 is refused', () => {
  expect(() => medianInterval([1, 2, 3], 1)).toThrow(/between 0 and 1/);
});
