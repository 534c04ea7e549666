import { test, expect } from '@playwright/test';
import { operations, prepare } from './benchmark.js';

for (const operation of Object.keys(operations)) {
  test(`${operation} waits exactly as often as it was asked to`, async () => {
    for (const n of [1, 2, 7]) {
      const { once, asynchronous, check } = await prepare({ operation, n });
      expect(asynchronous).toBe(true);
      const values = [await once(), await once()];
      expect(values).toEqual([n, n]);
      check(values[1]);
      expect(() => {
        check(n + 1);
      }).toThrow(`${operation} waited ${String(n + 1)} times instead of ${String(n)}.`);
    }
  });
}

/** What is settled by the time that the current macrotask's microtasks are done. */
async function settlesAsMicrotask(operation: string): Promise<boolean> {
  const { once } = await prepare({ operation, n: 5 });
  let settled = false;
  void (once() as Promise<number>).then(() => {
    settled = true;
  });
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  return settled;
}

test('promises and microtasks are done before the next macrotask, the others are not', async () => {
  const done = Object.keys(operations).map(
    async (name) => [name, await settlesAsMicrotask(name)] as const,
  );
  expect(Object.fromEntries(await Promise.all(done))).toEqual({
    resolve: true,
    chain: true,
    queueMicrotask: true,
    setTimeout: false,
    MessageChannel: false,
    setImmediate: false,
  });
});

test('an unknown operation and an n out of range are refused', () => {
  expect(() => prepare({ operation: 'toString', n: 1 })).toThrow('no operation "toString"');
  for (const n of [0, 100_001, 1.5, '3']) {
    expect(() => prepare({ operation: 'chain', n })).toThrow(`n cannot be ${String(n)}`);
  }
});

test('a host without setImmediate says so', () => {
  const { setImmediate } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, 'setImmediate');
    expect(() => prepare({ operation: 'setImmediate', n: 1 })).toThrow('has no setImmediate');
  } finally {
    globalThis.setImmediate = setImmediate;
  }
});
