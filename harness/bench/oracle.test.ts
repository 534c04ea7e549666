import { expect, test } from '@playwright/test';
import { seededGenerator } from '../analysis/stats/random.ts';
import { mostPower } from './nights.ts';

test('a step of nothing is found as often as the error rate allows, on one side', () => {
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
