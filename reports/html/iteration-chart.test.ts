import { expect, test } from '@playwright/test';
import { poolIterations } from './iteration-chart.ts';

test('few values stay by themselves, with their numbers', () => {
  expect(
    poolIterations([5, 4], { from: 7, most: 10 }).map((p) => [p.first, p.last, p.middle]),
  ).toEqual([
    [7, 7, 5],
    [8, 8, 4],
  ]);
});

test('many are taken together, and none is lost', () => {
  const pools = poolIterations([4, 1, 2, 3, 9, 9, 7], { from: 1, most: 2 });
  expect(pools).toEqual([
    { first: 1, last: 4, count: 4, low: 1, middle: 2.5, high: 4 },
    { first: 5, last: 7, count: 3, low: 7, middle: 9, high: 9 },
  ]);
  expect(poolIterations([], { from: 1, most: 2 })).toEqual([]);
});
