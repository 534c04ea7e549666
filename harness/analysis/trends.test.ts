import { expect, test } from '@playwright/test';
import { seededGenerator } from './stats/random.ts';
import { aNightValue } from '../testing/nights.ts';
import { makeNightSeries, searchHistory } from './history.ts';
import { describeTrends } from './trends.ts';

/** Three cases over fifty nights: one as it was, one that changed long ago, one that did last night but two. */
function trends() {
  const generator = seededGenerator(81);
  const values = Array.from({ length: 50 }, (_, night) =>
    [Infinity, 20, 47].map((from, index) =>
      aNightValue(night + 1, (night < from ? 10 : 15) * Math.exp(0.01 * generator.normal()), {
        caseName: ['same', 'old', 'new'][index],
        version: night < 47 ? '156.0' : '157.0',
      }),
    ),
  ).flat();
  const order = { run: 50, generator: seededGenerator(1) };
  return describeTrends(searchHistory(makeNightSeries(values), order), 'nightly');
}

test('series that changed are told, the newest change first, and how many were looked at', () => {
  const told = trends();
  expect(told).toMatchObject({ suite: 'nightly', nights: 50, series: 3 });
  expect(told.trends.map(({ caseName }) => caseName)).toEqual(['new', 'old']);
});

test('a change is told with its night, its size, its cause and its state', () => {
  const [fresh, old] = trends().trends;
  expect(fresh?.changes).toMatchObject([
    { run: 48, cause: 'browser 156.0 → 157.0', state: 'suspect' },
  ]);
  expect(old?.changes).toMatchObject([{ run: 21, cause: 'nothing known', state: 'settled' }]);
  expect(old?.changes[0]?.ratio).toBeCloseTo(1.5, 1);
});

test('levels lie between the changes, and cover every night once', () => {
  const [fresh, old] = trends().trends;
  expect(fresh?.levels.map(({ from, to }) => [from, to])).toEqual([
    [0, 46],
    [47, 49],
  ]);
  expect(old?.levels.map(({ from, to }) => [from, to])).toEqual([
    [0, 19],
    [20, 49],
  ]);
  expect(old?.levels[1]?.median).toBeCloseTo(15, 0);
});
