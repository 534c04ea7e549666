import { expect, test } from '@playwright/test';
import { distancesOf, innovationsOf, nightsNoise, seriesOf } from './nights-noise.ts';
import { seededGenerator, type SeededGenerator } from '../../../core/analysis/stats/random.ts';

function remembering(memory: number, generator: SeededGenerator, nights: number): number[] {
  let state = generator.normal();
  return Array.from({ length: nights }, () => {
    state = memory * state + Math.sqrt(1 - memory ** 2) * generator.normal();
    return state;
  });
}

test('golden: centre, spread and memory of a short series, by hand from the formulas', () => {
  // Median 0; absolute distances 1 1 1 1 2 2 2 2, median 1.5.
  const values = [1, 2, -1, -2, 1, 2, -1, -2];
  const noise = nightsNoise(values);
  expect(noise.centre).toBe(0);
  expect(noise.spread).toBeCloseTo(1.4826 * 1.5, 10);
  // Σ z_t z_{t−1} = 2 − 2 + 2 − 2 + 2 − 2 + 2 of 7 pairs, Σ z² = 20 of 8; (r + 1/8) / (1 − 3/8).
  expect(noise.memory).toBeCloseTo((2 / 7 / 2.5 + 0.125) / 0.625, 10);
});

for (const memory of [0, 0.3, 0.5, 0.7]) {
  test(`the mean estimate of a memory of ${String(memory)} is right, with spikes as well`, () => {
    const generator = seededGenerator(21);
    const estimates = Array.from({ length: 400 }, () => {
      const values = remembering(memory, generator, 60).map((z) =>
        generator.uniform() < 0.02 ? z + 10 : z,
      );
      return nightsNoise(values).memory;
    });
    const mean = estimates.reduce((sum, one) => sum + one, 0) / estimates.length;
    // Estimates below 0 are held at 0, so that without memory the mean lies somewhat above it.
    expect(mean).toBeGreaterThan(memory - 0.1);
    expect(mean).toBeLessThan(memory + 0.1);
  });
}

test('a spike changes centre and spread little', () => {
  const values = remembering(0, seededGenerator(22), 41);
  const spiked = values.map((value, night) => (night === 20 ? 1000 : value));
  const [quiet, noisy] = [nightsNoise(values), nightsNoise(spiked)];
  expect(Math.abs(noisy.centre - quiet.centre)).toBeLessThan(0.2);
  expect(noisy.spread / quiet.spread).toBeLessThan(1.2);
});

test('equal medians of a coarse clock have the finest spread, and no memory', () => {
  expect(nightsNoise(Array<number>(20).fill(3))).toEqual({ centre: 3, spread: 0.001, memory: 0 });
});

test('assumes the largest memory for fewer than six nights', () => {
  expect(nightsNoise([1, 2, 3, 2, 1]).memory).toBe(0.9);
});

test('limits distances to three spreads', () => {
  expect(distancesOf([0, 1, 50, -50], { centre: 0, spread: 1 })).toEqual([0, 1, 3, -3]);
});

test('rebuilds a series from its innovations', () => {
  const values = remembering(0.5, seededGenerator(23), 30);
  for (const memory of [0, 0.5, 0.9]) {
    seriesOf(innovationsOf(values, memory), memory).forEach((value, night) => {
      expect(value).toBeCloseTo(values[night] ?? NaN, 9);
    });
  }
});
