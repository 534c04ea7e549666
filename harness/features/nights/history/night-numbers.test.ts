import { expect, test } from '@playwright/test';
import { aNightValue, type NightFacts } from '../../../testing/nights.ts';
import { compareNights } from './night-numbers.ts';

/** Two nights of one series, with eight trials each. */
const twoNights = (before: number, now: number, facts: NightFacts = {}, tonight = facts) => [
  aNightValue(11, before, facts),
  aNightValue(12, now, tonight),
];

test('lists a slower series with both medians, the ratio and what changed with it', () => {
  const values = twoNights(10, 12, { version: '156.0' }, { version: '157.0' });
  const numbers = compareNights(values, 12);
  expect(numbers).toMatchObject({ run: 12, before: { run: 11 }, compared: 1, apart: 0 });
  expect(numbers?.tally).toEqual({ slower: 1, faster: 0, equivalent: 0, undecided: 0 });
  const [difference] = numbers!.differences;
  expect(difference).toMatchObject({
    targetId: 'chromium',
    verdict: 'slower',
    relevant: true,
    before: { median: 10, trials: 8 },
    now: { median: 12, trials: 8 },
    cause: 'browser 156.0 → 157.0',
  });
  expect(difference!.ratio).toBeCloseTo(1.2, 6);
  expect(difference!.low).toBeGreaterThan(1.1);
});

test('equal nights are equivalent, and nothing is listed', () => {
  const numbers = compareNights(twoNights(10, 10), 12);
  expect(numbers?.tally).toMatchObject({ equivalent: 1, slower: 0 });
  expect(numbers?.differences).toEqual([]);
});

test('lists the surest difference first', () => {
  const values = [
    ...twoNights(10, 11, { caseName: 'small' }),
    ...twoNights(10, 5, { caseName: 'large' }),
  ].toSorted((one, other) => one.run.id - other.run.id);
  const names = compareNights(values, 12)?.differences.map(({ caseName }) => caseName);
  expect(names).toEqual(['large', 'small']);
});

test('gives no verdict on three trials of each night, however far apart they are', () => {
  const few = (median: number) => ({ values: [1, 1.01, 1.02].map((x) => x * median), trials: 3 });
  const values = twoNights(10, 30, few(10), few(30));
  expect(compareNights(values, 12)).toMatchObject({ tooFew: 1, differences: [] });
});

test('asks more evidence of one difference among many comparisons', () => {
  const spread = (median: number) => [0.985, 0.99, 1.0, 1.01, 1.015].map((x) => x * median);
  const facts = (median: number, caseName: string): NightFacts => ({
    caseName,
    values: spread(median),
    trials: 5,
  });
  const alone = twoNights(10, 10.4, facts(10, 'moved'), facts(10.4, 'moved'));
  expect(compareNights(alone, 12)?.differences).toHaveLength(1);
  const still = Array.from({ length: 40 }, (_, index) => facts(10, `still ${String(index)}`));
  const many = [...alone, ...still.flatMap((one) => twoNights(10, 10, one))];
  const numbers = compareNights(
    many.toSorted((one, other) => one.run.id - other.run.id),
    12,
  );
  expect(numbers).toMatchObject({ compared: 41, differences: [] });
});

test('counts series of another machine, and does not compare them', () => {
  const values = twoNights(10, 20, {}, { machine: { hostname: 'other' } });
  expect(compareNights(values, 12)).toMatchObject({ compared: 0, apart: 1, differences: [] });
});

test('compares nothing in the first night', () => {
  expect(compareNights([aNightValue(12, 10)], 12)).toBeNull();
});
