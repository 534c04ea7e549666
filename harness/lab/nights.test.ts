import { expect, test } from '@playwright/test';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import {
  equalSeries,
  farmOfTheIssue,
  findShifts,
  flagSeries,
  mostPower,
  quietNights,
  simulateSeries,
} from './nights.ts';

const small = { ...farmOfTheIssue, series: 40, nights: 20 };

test('simulated nights scatter by 2 % and remember half of the night before', () => {
  const farm = { past: 0, nights: 20_000, memory: 0.5, spikes: 0 };
  const values = simulateSeries(farm, seededGenerator(1));
  const square = values.reduce((sum, x) => sum + x * x, 0) / values.length;
  const product = values.reduce((sum, x, i) => sum + x * (values[i - 1] ?? 0), 0) / values.length;
  expect(Math.sqrt(square)).toBeCloseTo(0.02, 3);
  expect(product / square).toBeCloseTo(0.5, 1);
});

test(
  'simulates every quiet night, and re-measurement confirms hardly a false alarm',
  { tag: '@campaign' },
  () => {
    const nights = quietNights(small, 2);
    expect(nights).toHaveLength(20);
    const anomalies = nights.filter((night) => night.anomalies > 0).length;
    // At most 5 % in the long run: of 20 nights more than 4 would be seen in 3 of 1,000 such farms.
    expect(anomalies).toBeLessThanOrEqual(4);
    for (const { suspects, measured, anomalies: kept } of nights) {
      expect(measured).toBeLessThanOrEqual(suspects);
      expect(kept).toBeLessThanOrEqual(suspects);
    }
  },
);

test(
  'finds most shifts of 5 % after an update by the third night, and more than by the second',
  { tag: '@campaign' },
  () => {
    const shift = { ratio: 1.05, share: 0.5, isKnown: true };
    const { bySecond, byThird, confirmed } = findShifts({ ...small, series: 100 }, shift, 3);
    expect(byThird).toBeGreaterThan(0.75);
    expect(byThird).toBeGreaterThanOrEqual(bySecond);
    expect(confirmed).toBeLessThanOrEqual(byThird);
  },
);

test('plain E-divisive flags far more equal series', { tag: '@campaign' }, () => {
  const flagged = flagSeries(equalSeries({ ...small, series: 60 }, 4), 5);
  const count = (pick: (one: (typeof flagged)[number]) => boolean): number =>
    flagged.filter(pick).length;
  expect(count(({ eDivisive }) => eDivisive)).toBeGreaterThan(3 * count(({ ours }) => ours));
});

test('gives the same farm for the same seed, and another for another', () => {
  const tiny = { ...small, series: 4, nights: 3 };
  expect(quietNights(tiny, 5)).toEqual(quietNights(tiny, 5));
  const shift = { ratio: 1.1, share: 1, isKnown: false };
  expect(findShifts(tiny, shift, 6)).toEqual(findShifts(tiny, shift, 6));
});

test('finds a step of 0 as often as the error rate allows', () => {
  const power = mostPower({ size: 0, memory: 0.5, nights: 3, alpha: 0.05 });
  expect(power).toBeCloseTo(0.025, 3);
});

test('the bound is the power of the likelihood ratio in simulated noise', () => {
  const [size, memory, nights] = [2.4, 0.5, 3];
  const generator = seededGenerator(5);
  const innovation = Math.sqrt(1 - memory ** 2);
  const weights = [1, ...Array<number>(nights - 1).fill(1 - memory)];
  const norm = Math.hypot(...weights);
  const found = Array.from({ length: 4000 }, () => {
    const e = weights.map((weight) => weight * size + innovation * generator.normal());
    const t = e.reduce((sum, one, index) => sum + one * (weights[index] ?? 0), 0);
    return t / norm / innovation > 2.5758;
  }).filter(Boolean).length;
  const power = mostPower({ size, memory, nights, alpha: 0.01 });
  expect(Math.abs(found / 4000 - power)).toBeLessThan(0.03);
});
