import { expect, test } from '@playwright/test';
import { benchMethods, statsBench, type BenchMethod, type StatsBenchRow } from './stats.ts';

test('gives the same rows for the same seed, and others for another', () => {
  const small = { runs: 10, blocks: 60 };
  expect(statsBench(5, small)).toEqual(statsBench(5, small));
  expect(statsBench(5, small)).not.toEqual(statsBench(6, small));
});

test.describe('rows of 100 runs', { tag: '@campaign' }, () => {
  const size = { runs: 100, blocks: 120 };
  let rows: readonly StatsBenchRow[];

  test.beforeAll(() => {
    rows = statsBench(1, size);
  });

  function rowOf(method: BenchMethod, where: Partial<StatsBenchRow>): StatsBenchRow {
    const wanted = Object.entries({ noise: 'normal', spread: 0.05, ...where, method });
    const row = rows.find((one) =>
      wanted.every(([key, value]) => one[key as keyof StatsBenchRow] === value),
    );
    if (row === undefined) throw new Error(`no row of ${method}`);
    return row;
  }

  test('each noise, difference and method has one row, with sequential equality', () => {
    const keys = rows.map(
      ({ noise, spread, difference, method }) =>
        `${noise} ${String(spread)} ${String(difference)} ${method}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(rows.length).toBe(8 * (3 * benchMethods.length + 3));
  });

  test('a larger difference needs fewer blocks', () => {
    for (const method of ['alike', 'unlike', 'several-scales', 'welch-once'] as const) {
      const [five, ten] = [0.05, 0.1].map((difference) => rowOf(method, { difference }));
      expect(ten?.blocksFor90).toBeLessThan(five?.blocksFor90 ?? NaN);
    }
  });

  test('five blocks find a difference between alike sides in little noise, and eight equality', () => {
    expect(rowOf('alike', { spread: 0.006, difference: 0.05 }).blocksFor90).toBe(5);
    expect(rowOf('unlike', { spread: 0.006, difference: 0.05 }).blocksFor90).toBe(6);
    expect(rowOf('unlike', { spread: 0.006, difference: 0 }).medianBlocks).toBeLessThan(10);
  });

  test('the farm’s false alarms stay below 5 %, unlike "50, then 10 more"', () => {
    for (const row of rows.filter(({ method }) => method === 'alike' || method === 'unlike')) {
      expect(row.falseAlarms.low).toBeLessThan(0.05);
      expect(row.falseAlarms.rate).toBeLessThan(0.07);
    }
    const rule = rows
      .filter(({ method }) => method === 'fifty-then-ten')
      .map((row) => row.falseAlarms.low);
    expect(Math.max(...rule)).toBeGreaterThan(0.05);
  });
});
