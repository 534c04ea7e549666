import { expect, test } from '@playwright/test';
import { seededGenerator } from '../../../core/analysis/stats/random.ts';
import { type DelayedBlock, estimateSlope, summarizeDelays } from './slope.ts';

const generator = seededGenerator(1);

/** Blocks of a value that costs this much after a delay, with noise of 1 % and a machine that drifts. */
function blocksOf(count: number, costOf: (delayMs: number) => number): readonly DelayedBlock[] {
  return Array.from({ length: count }, (_, block) => {
    const drift = 1 + 0.005 * block;
    return [0, 10, 20].map((delayMs) => ({
      delayMs,
      value: (100 * drift + costOf(delayMs)) * (1 + 0.01 * generator.normal()),
    }));
  });
}

test('a function whose time all counts has a slope of 1', () => {
  const { value, low, high, isLine } = estimateSlope(
    blocksOf(12, (delayMs) => delayMs),
    0.05,
  );
  expect(Math.abs(value - 1)).toBeLessThan(0.1);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
  expect(isLine).toBe(true);
});

test('a function that nothing waits for has a slope of 0', () => {
  const { value, low, high } = estimateSlope(
    blocksOf(12, () => 0),
    0.05,
  );
  expect(Math.abs(value)).toBeLessThan(0.1);
  expect(low).toBeLessThan(0);
  expect(high).toBeGreaterThan(0);
});

test('says that a path which becomes the longest on the way is no line', () => {
  const { isLine, bend } = estimateSlope(
    blocksOf(20, (delayMs) => Math.max(0, delayMs - 10)),
    0.05,
  );
  expect(isLine).toBe(false);
  expect(bend?.value).toBeGreaterThan(0.5);
});

test('intervals hold the truth in 95 of 100 pages, whenever one stops', () => {
  const missed = Array.from({ length: 100 }, () => {
    const blocks = blocksOf(16, (delayMs) => 0.5 * delayMs);
    return Array.from({ length: 11 }, (_, more) => blocks.slice(0, 6 + more)).some((seen) => {
      const { low, high } = estimateSlope(seen, 0.05);
      return low !== null && high !== null && (low > 0.5 || high < 0.5);
    });
  }).filter(Boolean);
  expect(missed.length).toBeLessThanOrEqual(5);
});

test('gives no interval before six blocks', () => {
  const { low, high, blocks } = estimateSlope(
    blocksOf(5, () => 0),
    0.05,
  );
  expect({ low, high, blocks }).toEqual({ low: null, high: null, blocks: 5 });
});

test('sums up what each size of delay changed, and leaves out blocks that lack one', () => {
  const blocks = blocksOf(12, (delayMs) => delayMs / 2);
  const cut = blocks.map((block, index) => (index === 0 ? block.slice(0, 2) : block));
  const points = summarizeDelays(cut);
  expect(points.map(({ delayMs }) => delayMs)).toEqual([10, 20]);
  for (const { delayMs, change, low, high } of points) {
    expect(Math.abs(change - delayMs / 2)).toBeLessThan(2);
    expect(low).toBeLessThan(change);
    expect(high).toBeGreaterThan(change);
  }
  expect(summarizeDelays([])).toEqual([]);
});
