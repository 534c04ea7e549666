import { expect, test } from '@playwright/test';
import { seededGenerator } from '../core/analysis/stats/random.ts';
import { computeDrift } from './soak.ts';

/** Megabytes after each run: 60 at first, more by this with every run, and some noise. */
function memory(runs: number, growth: number): readonly number[] {
  const generator = seededGenerator(3);
  return Array.from({ length: runs }, (_, run) => 60 + growth * run + 0.3 * generator.normal());
}

test('memory that swings around one level is flat', () => {
  const drift = computeDrift(memory(25, 0));
  expect(drift?.verdict).toBe('flat');
  expect(drift?.atMost).toBeLessThan(0.05);
});

test('finds a leak of 1 MB a run, with its size', () => {
  const drift = computeDrift(memory(25, 1));
  expect(drift?.verdict).toBe('grows');
  expect(drift?.perRun).toBeGreaterThan(0.01);
  expect(drift?.perRun).toBeLessThan(0.02);
});

test('a few scattered runs are not known, and two give nothing', () => {
  expect(computeDrift([60, 80, 62, 79])?.verdict).toBe('not known');
  expect(computeDrift([60, 61])).toBeNull();
});

test('constant values are flat', () => {
  expect(computeDrift([24, 24, 24, 24])).toMatchObject({ perRun: 0, verdict: 'flat' });
});
