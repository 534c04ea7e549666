import { expect, test } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { buildLimits } from './confinement-limits.ts';

/** Gibibytes that a program gets of the machine's within the limits of a product; it writes to none. */
function granted(product: string): number {
  const wanted = Math.ceil(totalmem() / 2 ** 30) + 10;
  const script = `
    const got = [];
    try { while (got.length < ${String(wanted)}) got.push(new ArrayBuffer(2 ** 30)); } catch {}
    process.stdout.write(String(got.length));`;
  const [program = '', ...args] = [...buildLimits(product), process.execPath, '-e', script];
  return Number(execFileSync(program, args, { encoding: 'utf8' }));
}

for (const product of ['node', 'deno', 'native', 'wasmtime']) {
  test(`a process of ${product} has no more than its part of the memory`, () => {
    test.skip(!existsSync('/usr/bin/prlimit'), 'util-linux is not installed');
    expect(granted(product)).toBeLessThanOrEqual(totalmem() / 2 ** 31 + 1);
  });
}

test('does not count the memory that Bun reserves at its start', () => {
  test.skip(!existsSync('/usr/bin/prlimit'), 'util-linux is not installed');
  const dataOf = (product: string): number =>
    Number(/--data=(\d+)/.exec(buildLimits(product).join(' '))?.[1]);
  expect(dataOf('bun') - dataOf('node')).toBe(2 ** 33);
});
