import { expect, test } from '@playwright/test';
import golden from './golden/scipy.json' with { type: 'json' };
import { fitGrowth } from './growth.ts';
import { seededGenerator } from './random.ts';
import { rateInterval } from './rate-interval.ts';
import { StatisticsRefusal } from './refusal.ts';

test('slope and interval agree with SciPy linregress and t.ppf', () => {
  const seen = fitGrowth(golden.growth.points);
  expect(seen.perStep).toBeCloseTo(golden.growth.perStep, 10);
  expect(seen.low).toBeCloseTo(golden.growth.low, 9);
  expect(seen.high).toBeCloseTo(golden.growth.high, 9);
});

test('an exact exponential has its factor and almost no interval', () => {
  const points = [20, 21, 22, 25].map((x) => ({ x, y: 3e-4 * 1.618 ** x }));
  const { perStep, low, high } = fitGrowth(points);
  for (const value of [perStep, low, high]) expect(value).toBeCloseTo(1.618, 9);
});

test('parameters far from 0 lose no digits', () => {
  const points = [0, 1, 2, 3].map((x) => ({ x: 1e9 + x, y: 2 ** x }));
  expect(fitGrowth(points).perStep).toBeCloseTo(2, 9);
});

test('the interval covers the true growth as often as it claims', () => {
  const generator = seededGenerator(12);
  const rounds = 3000;
  let covered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const points = Array.from({ length: 6 }, (_, x) => ({
      x,
      y: 1.5 ** x * Math.exp(0.1 * generator.normal()),
    }));
    const { low, high } = fitGrowth(points);
    if (low <= 1.5 && 1.5 <= high) covered += 1;
  }
  const { low, high } = rateInterval({ count: covered, of: rounds, confidence: 0.999 });
  expect(low).toBeLessThan(0.95);
  expect(high).toBeGreaterThan(0.95);
  expect(low).toBeGreaterThan(0.93);
});

for (const [code, points] of [
  ['empty', []],
  [
    'too-few',
    [
      [1, 1],
      [2, 2],
    ],
  ],
  [
    'no-spread',
    [
      [1, 1],
      [1, 2],
      [1, 3],
    ],
  ],
  [
    'not-positive',
    [
      [1, 1],
      [2, 0],
      [3, 1],
    ],
  ],
  [
    'not-finite',
    [
      [1, 1],
      [NaN, 2],
      [3, 1],
    ],
  ],
] as const) {
  test(`refuses growth of ${JSON.stringify(points)}: ${code}`, () => {
    const ask = () => fitGrowth(points.map(([x, y]) => ({ x, y })));
    expect(ask).toThrow(StatisticsRefusal);
  });
}
