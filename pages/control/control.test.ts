import { test, expect } from '@playwright/test';
import { jump } from '../kit/spin.js';
import { prepare, totalRounds } from './benchmark.js';

test('extraPercent adds exactly that much work', () => {
  expect(totalRounds(1_000_000, 0)).toBe(1_000_000);
  for (let percent = 0; percent <= 100; percent++) {
    expect(totalRounds(1_000_000, percent)).toBe(1_000_000 + percent * 10_000);
  }
});

test('the prepared operation is checked, and counts its rounds', async () => {
  const operation = prepare({ rounds: 1000, extraPercent: 5 });
  operation.check(operation.once(operation.argument));
  expect(await operation.counters?.()).toEqual({ rounds: 1050 });
  expect(operation.asynchronous).toBe(false);
  expect(() => {
    operation.check(jump(1000));
  }).toThrow('1050 rounds gave');
});

test('refuses what is out of range', () => {
  expect(() => prepare({ rounds: 0, extraPercent: 0 })).toThrow('rounds cannot be 0');
  expect(() => prepare({ rounds: 10, extraPercent: 101 })).toThrow('extraPercent cannot be 101');
  expect(() => prepare({})).toThrow('rounds cannot be NaN');
});
