import { test, expect } from '@playwright/test';
import { medianSequence, smallestValues } from './median-interval.ts';
import { seededGenerator } from './random.ts';

const alpha = 0.05;

test('there are no bounds before the eighth value, and the range of the eight is the first', () => {
  expect(smallestValues(alpha)).toBe(8);
  const seven = [5, 1, 4, 2, 7, 3, 6];
  expect(medianSequence(seven, alpha)).toEqual({ median: 4, low: null, high: null });
  expect(medianSequence([...seven, 8], alpha)).toEqual({ median: 4.5, low: 1, high: 8 });
});

test('the evidence is that of the slow integral', () => {
  for (const count of [8, 12, 20]) {
    const rank = ranks(count);
    for (let above = Math.ceil(count / 2 + 0.5); above <= count; above += 1) {
      expect(above >= rank).toBe(integral(count, above) >= 2 / alpha);
    }
  }
});

/** From which k on the values themselves say that m is left out: read off the bounds. */
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
  test(`the true median lies inside at every look in at least 95 % of series ${name}`, () => {
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

test('values that are no numbers are refused', () => {
  expect(() => medianSequence([], alpha)).toThrow('no value at all');
  expect(() => medianSequence([1, NaN], alpha)).toThrow('index 1');
  expect(() => medianSequence([1], 0)).toThrow('error rate');
});
