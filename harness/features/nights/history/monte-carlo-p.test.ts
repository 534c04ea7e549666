import { expect, test } from '@playwright/test';
import { monteCarloP } from './nights-noise.ts';
import { rateInterval } from '../../../core/analysis/stats/rate-interval.ts';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';

test('stops at the tenth draw that is as strange as the data', () => {
  let draws = 0;
  const everyOther = () => {
    draws += 1;
    return draws % 2;
  };
  expect(monteCarloP({ seen: 1, draw: everyOther, mostDraws: 999 })).toBe(10 / 19);
  expect(draws).toBe(19);
});

test('gives the smallest possible p if no draw reaches the data', () => {
  expect(monteCarloP({ seen: 1, draw: () => 0, mostDraws: 999 })).toBe(1 / 1000);
});

test('p is small as often as it claims, and no more often', () => {
  const generator = seededGenerator(11);
  const runs = 4000;
  const ps = Array.from({ length: runs }, () =>
    monteCarloP({ seen: generator.normal(), draw: () => generator.normal(), mostDraws: 199 }),
  );
  for (const level of [0.01, 0.05, 0.2]) {
    const { low, high } = rateInterval({
      count: ps.filter((p) => p <= level).length,
      of: runs,
      confidence: 0.998,
    });
    expect(low).toBeLessThanOrEqual(level);
    // Of discrete draws, a level between two steps is not used up: 0.05 by 10/200 is.
    expect(high).toBeGreaterThan(0.7 * level);
  }
});
