import { expect, test } from '@playwright/test';
import { drawRatioStrips } from './ratio-strip.ts';

test('blocks of a slower version stand right of 1, within their interval', () => {
  const blocks = [1.08, 1.1, 1.1, 1.12, 1.1, 1.1];
  const [strip = ''] = drawRatioStrips([{ blocks, low: 1.05, high: 1.16 }], 0.02).strips;
  expect(strip).toMatch(/^ *│ +\[ *· *● *· *\]$/);
});

test('the interval stands out among many blocks', () => {
  const blocks = Array.from({ length: 60 }, (_none, i) => 0.8 + i / 100);
  const [strip = ''] = drawRatioStrips([{ blocks, low: 1.05, high: 1.12 }], 0.02).strips;
  expect(strip).toMatch(/[·•●]\[[·•●]*\][·•●]/);
});

test('all lines share an axis', () => {
  const { strips } = drawRatioStrips(
    [
      { blocks: [2], low: null, high: null },
      { blocks: [0.5], low: null, high: null },
    ],
    0.02,
  );
  const [slower = '', faster = ''] = strips;
  expect(slower.indexOf('│')).toBe(faster.indexOf('│'));
  expect(slower.indexOf('·')).toBeGreaterThan(slower.indexOf('│'));
  expect(faster.indexOf('·')).toBeLessThan(faster.indexOf('│'));
});

test('without a block there is only the bar at 1', () => {
  const { strips, key } = drawRatioStrips([{ blocks: [], low: null, high: null }], 0.02);
  expect(strips[0]?.trim()).toBe('│');
  expect(key).toContain('× to 1.');
});

test('one far block stays inside the strip', () => {
  const blocks = [...Array.from({ length: 20 }, (_, i) => 1 + i / 1000), 50];
  const [strip = ''] = drawRatioStrips([{ blocks, low: 0.99, high: 1.03 }], 0.02).strips;
  expect(strip).toHaveLength(24);
  expect(strip.at(-1)).toBe('·');
});
