import { expect, test } from '@playwright/test';
import { noiseShapes } from '../stats/noise.ts';
import { benchMethods, statsBench, type BenchMethod } from './stats.ts';

const size = { runs: 150, blocks: 120 };
const rows = statsBench(1, size);

test('every noise, difference and method has one row', () => {
  const keys = rows.map(({ noise, difference, method }) => `${noise} ${difference} ${method}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(rows.length).toBe(noiseShapes.length * 2 * benchMethods.length);
});

test('the same seed gives the same rows, another seed others', () => {
  const small = { runs: 20, blocks: 60 };
  expect(statsBench(5, small)).toEqual(statsBench(5, small));
  expect(statsBench(5, small)).not.toEqual(statsBench(6, small));
});

test('a larger difference needs fewer blocks', () => {
  for (const method of ['mixture', 'design-formula', 'welch-once'] as const) {
    const [five, ten] = rows.filter((row) => row.noise === 'normal' && row.method === method);
    expect(ten?.blocksFor90).toBeLessThan(five?.blocksFor90 ?? NaN);
  }
});

test('the mixture needs fewer blocks than the formula of the design, whatever the noise', () => {
  for (const noise of noiseShapes) {
    const of = (method: BenchMethod) =>
      rows.find((row) => row.noise === noise && row.method === method && row.difference === 0.05);
    expect(of('mixture')?.medianBlocks).toBeLessThan(of('design-formula')?.medianBlocks ?? NaN);
  }
});

test('no false-alarm rate of the mixture is above 5 %, that of "50, then 10 more" is', () => {
  for (const row of rows.filter(({ method }) => method === 'mixture')) {
    expect(row.falseAlarms.low).toBeLessThan(0.05);
    expect(row.falseAlarms.rate).toBeLessThan(0.07);
  }
  const rule = statsBench(2, { runs: 300, blocks: 300 }).find(
    ({ noise, method }) => noise === 'normal' && method === 'fifty-then-ten',
  );
  expect(rule?.falseAlarms.low).toBeGreaterThan(0.05);
});
