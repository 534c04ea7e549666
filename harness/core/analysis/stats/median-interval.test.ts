import { expect, test } from '@playwright/test';
import golden from './golden/scipy.json' with { type: 'json' };
import { medianInterval, medianSequence, smallestValues } from './median-interval.ts';
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

test('few values give the whole range and its true coverage', () => {
  expect(medianInterval([5])).toEqual({ median: 5, low: 5, high: 5, confidence: 0 });
  expect(medianInterval([5, 3])).toEqual({ median: 4, low: 3, high: 5, confidence: 0.5 });
  expect(medianInterval([9, 1, 4])).toEqual({ median: 4, low: 1, high: 9, confidence: 0.75 });
  expect(medianInterval(upTo(5)).confidence).toBeLessThan(0.95);
  expect(medianInterval(upTo(6)).confidence).toBeGreaterThan(0.95);
});

test('the order of the values does not matter, and the input stays unchanged', () => {
  const values = Object.freeze([3, 1, 2, 9, 4, 4, 8, 0, 7]);
  expect(medianInterval(values)).toEqual(medianInterval([...values].sort((a, b) => a - b)));
});

test('covers as often as it claims in a simulation, for a skewed distribution', () => {
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
  test(`refuses the median of ${name}`, () => {
    expect(() => medianInterval(values)).toThrow(StatisticsRefusal);
  });
}

test('refuses a confidence of 1', () => {
  expect(() => medianInterval([1, 2, 3], 1)).toThrow(/between 0 and 1/);
});

const alpha = 0.05;

test('has no bounds before the eighth value, and then the range of the eight', () => {
  expect(smallestValues(alpha)).toBe(8);
  const seven = [5, 1, 4, 2, 7, 3, 6];
  expect(medianSequence(seven, alpha)).toEqual({ median: 4, low: null, high: null });
  expect(medianSequence([...seven, 8], alpha)).toEqual({ median: 4.5, low: 1, high: 8 });
});

test('the evidence equals the slow integral', () => {
  for (const count of [8, 12, 20]) {
    const rank = ranks(count);
    for (let above = Math.ceil(count / 2 + 0.5); above <= count; above += 1) {
      expect(above >= rank).toBe(integral(count, above) >= 2 / alpha);
    }
  }
});

/** Returns the smallest k at which the values exclude m, from the bounds. */
function ranks(count: number): number {
  const values = Array.from({ length: count }, (_, index) => index + 1);
  // All looks but the last are made to bind nothing: the extremes come first and widen every range.
  const order = values.toSorted(
    (a, b) => Math.abs(b - (count + 1) / 2) - Math.abs(a - (count + 1) / 2),
  );
  const { low } = medianSequence(order, alpha);
  return count + 1 - (low ?? NaN);
}

/** 2 ∫ (2p)^k (2(1 − p))^(n−k) dp over [½, 1], by the midpoint rule. */
function integral(count: number, above: number): number {
  const steps = 200_000;
  let sum = 0;
  for (let i = 0; i < steps; i += 1) {
    const p = 0.5 + (0.5 * (i + 0.5)) / steps;
    sum += (2 * p) ** above * (2 * (1 - p)) ** (count - above);
  }
  return (2 * 0.5 * sum) / steps;
}

for (const [name, draw] of Object.entries({
  skewed: (u: number) => Math.exp(3 * u),
  'in two modes': (u: number) => (u < 0.5 ? u : 10 + u),
  'with ties': (u: number) => Math.floor(u * 4) / 4,
})) {
  test(`covers the true median at every look in 95 % of series ${name}`, () => {
    const generator = seededGenerator(20_261_121);
    // For the tied draw any value in [0.25, 0.5] is a median; the others have the one at u = ½.
    const truth = name === 'with ties' ? 0.5 : draw(0.5);
    const series = 1_000;
    let missed = 0;
    for (let one = 0; one < series; one += 1) {
      const values = Array.from({ length: 60 }, () => draw(generator.uniform()));
      const { low, high } = medianSequence(values, alpha);
      if (low === null || high === null || low > truth || high < truth) missed += 1;
    }
    expect(missed / series).toBeLessThan(alpha);
  });
}

test('refuses values that are no numbers', () => {
  expect(() => medianSequence([], alpha)).toThrow('no value at all');
  expect(() => medianSequence([1, NaN], alpha)).toThrow('index 1');
  expect(() => medianSequence([1], 0)).toThrow('error rate');
});
