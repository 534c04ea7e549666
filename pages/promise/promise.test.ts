import { test, expect } from '@playwright/test';
import { prepare } from './benchmark.js';
import { operations } from './operations.js';

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
      }).toThrow(new RegExp(`${operation} .* ${String(n + 1)} times.* ${String(n)}\\b`));
    }
  });
}

/** Tells whether the operation settles before the microtasks of the current macrotask are done. */
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

for (const operation of ['resolve', 'MessageChannel']) {
  test(`${operation} waits in a fresh process each time, which times itself`, async () => {
    const { once, check, also } = prepare({ operation, n: 3, state: 'first' });
    check(await once());
    check(await once());
    expect(also).toEqual([
      { metric: 'waiting', unit: 'ms', values: [expect.any(Number), expect.any(Number)] },
    ]);
    for (const value of also?.[0]?.values ?? []) expect(value).toBeGreaterThan(0);
  });
}

test('a browser waits for the first time in its page, once', async () => {
  const { versions } = process;
  try {
    Object.defineProperty(process, 'versions', { value: {}, configurable: true });
    const { once, check, also, firstRun } = prepare({ operation: 'chain', n: 2, state: 'first' });
    expect(firstRun).toBe(true);
    check(await once());
    expect(also?.[0]?.values).toEqual([expect.any(Number)]);
  } finally {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  }
});

test('refuses an invalid state', () => {
  expect(() => prepare({ operation: 'chain', n: 1, state: 'cold' })).toThrow(
    'state cannot be "cold"',
  );
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
