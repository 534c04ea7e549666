import { test, expect } from '@playwright/test';
import { fitCurves } from './growth-chart.ts';

const at = (targetId: string, by: string, x: number, y: number) => ({
  ...{ targetId, by, x, y },
  low: y,
  high: y,
});
const phi = (1 + Math.sqrt(5)) / 2;

test('each curve of three points has its growth per step', () => {
  const fits = fitCurves([
    ...[20, 23, 26].map((n) => at('one', 'syncFib', n, phi ** n)),
    ...[20, 23, 26].map((n) => at('two', 'syncFib', n, 2 ** n)),
  ]);
  expect(fits.map(({ targetId, by, points }) => [targetId, by, points])).toEqual([
    ['one', 'syncFib', 3],
    ['two', 'syncFib', 3],
  ]);
  expect(fits[0]!.perStep).toBeCloseTo(phi, 9);
  expect(fits[1]!.perStep).toBeCloseTo(2, 9);
});

test('two points, or three of which one is not positive, are no curve', () => {
  expect(fitCurves([1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
  expect(fitCurves([0, 1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
  expect(fitCurves([1, 1, 2].map((n) => at('one', 'f', n, n)))).toEqual([]);
});
