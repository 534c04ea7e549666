import { test, expect } from '@playwright/test';
import { iterate, limits, prepare } from './benchmark.js';
import { countCalls } from './counted.js';
import * as published from './functions.js';

const names = Object.keys(limits) as (keyof typeof limits)[];

test('the six functions of the source are there, and two of ours', () => {
  const ours = ['asyncPromiseMemoFib', 'workerFib'];
  expect(names.toSorted()).toEqual([...new Set([...Object.keys(published), ...ours])].toSorted());
  expect(names).toHaveLength(8);
});

/** A busy call takes milliseconds, and 10 makes 177 of them; a worker takes tens of milliseconds. */
function ns(name: string): readonly number[] {
  if (name === 'workerFib') return [1, 2, 3, 4];
  return name.includes('Busy') ? [1, 2, 3, 5, 6] : [1, 2, 3, 5, 8, 10];
}

for (const name of names) {
  test(`${name} gives the value that it is checked against`, async () => {
    for (const n of ns(name)) {
      const operation = prepare({ function: name, n, place: 'main' });
      operation.check(await operation.once(operation.argument));
      expect(operation.once(operation.argument) instanceof Promise).toBe(operation.asynchronous);
      expect(() => {
        operation.check(iterate(n) + 1);
      }).toThrow(
        new RegExp(
          `${name}\\(${String(n)}\\).* ${String(iterate(n) + 1)} .* ${String(iterate(n))}\\b`,
        ),
      );
    }
  });
}

test('the recursion is right up to the largest finite value', () => {
  const operation = prepare({ function: 'syncMemoFib', n: 1476 });
  operation.check(operation.once(operation.argument));
  expect(iterate(1476)).toBe(1.3069892237633987e308);
  expect(iterate(1477)).toBe(Infinity);
});

test('refuses an unknown function and an n out of its range', () => {
  expect(() => prepare({ function: 'toString', n: 1 })).toThrow('no function "toString"');
  for (const [name, limit] of Object.entries(limits)) {
    for (const n of [0, limit + 1, 1.5, '3']) {
      const refusal = new RegExp(`\\bn of ${name} .*\\b${String(n)}\\b.* ${String(limit)}\\b`);
      expect(() => prepare({ function: name, n })).toThrow(refusal);
    }
  }
});

test('plain recursion makes 2·fib(n + 1) − 1 calls', async () => {
  for (const n of [1, 2, 7, 15]) {
    const { calls, value } = await countCalls('syncFib', n);
    expect(calls).toBe(2 * iterate(n + 1) - 1);
    expect(value).toBe(iterate(n));
  }
});

test('asyncMemoFib makes as many calls as asyncFib: its memo is never found filled', async () => {
  for (const n of [2, 7, 15]) {
    const memoized = await countCalls('asyncMemoFib', n);
    expect(memoized).toEqual(await countCalls('asyncFib', n));
    expect(memoized.value).toBe(iterate(n));
  }
});

test('syncMemoFib makes 2n − 1 calls', async () => {
  for (const n of [1, 2, 30, 1476]) {
    expect((await countCalls('syncMemoFib', n)).calls).toBe(2 * n - 1);
  }
});

test('a memo that keeps the promise is found filled: 2n − 1 calls', async () => {
  for (const n of [1, 2, 20, 1476]) {
    const { calls, value } = await countCalls('asyncPromiseMemoFib', n);
    expect(calls).toBe(2 * n - 1);
    expect(value).toBe(iterate(n));
  }
});

test('a worker answers every call of workerFib except the first', async () => {
  const operation = prepare({ function: 'workerFib', n: 4, place: 'main' });
  expect(await operation.counters?.()).toEqual({ calls: 9, workers: 8 });
});

test('a run counts its calls unless counting would take long', async () => {
  const counted = prepare({ function: 'asyncMemoFib', n: 10 });
  expect(await counted.counters?.()).toEqual({ calls: 177 });
  const long = prepare({ function: 'asyncFib', n: 30 });
  expect(await long.counters?.()).toEqual({});
});
