import { expect, test } from '@playwright/test';
import { seededGenerator } from './random.ts';
import { twoGroups } from './two-groups.ts';

test('six fast trials and two slow ones are two groups', () => {
  const values = [1.1, 5.1, 1.09, 1.11, 1.12, 5.0, 1.1, 1.08];
  expect(twoGroups(values)).toEqual([
    [1.08, 1.09, 1.1, 1.1, 1.11, 1.12],
    [5, 5.1],
  ]);
});

test('one distant trial, a small gap and a wide spread make no group', () => {
  expect(twoGroups([1, 1.01, 1.02, 9])).toBeNull();
  expect(twoGroups([1, 1.001, 1.2, 1.201])).toBeNull();
  expect(twoGroups([1, 1.3, 1.9, 2.4])).toBeNull();
});

test('fewer than four values are one group', () => {
  expect(twoGroups([1, 1, 9])).toBeNull();
  expect(twoGroups([3])).toBeNull();
});

test('equal values at two places are two groups', () => {
  expect(twoGroups([1, 1, 2, 2])).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test('noise of 5 % is never two groups, noise of 20 % rarely', () => {
  const generator = seededGenerator(1);
  const splits = (sd: number): number =>
    Array.from({ length: 2000 }, () =>
      twoGroups(Array.from({ length: 8 }, () => Math.exp(sd * generator.normal()))),
    ).filter((groups) => groups !== null).length;
  expect(splits(0.05)).toBe(0);
  expect(splits(0.2)).toBeLessThan(40);
});

test('refuses what has no logarithm', () => {
  expect(() => twoGroups([0, 1, 2, 3])).toThrow(/index 0 is 0/);
});
