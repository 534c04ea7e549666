import { expect, test } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { execa } from 'execa';
import { join } from 'node:path';
import { pagesFolder } from '../project.ts';
import { aFolder } from '../../testing/folder.ts';
import { confine, whyNoConfinement } from './confinement.ts';
import { buildLimits, watchedBytes } from './confinement-limits.ts';
import { makeSessionDirectory } from './session-directory.ts';

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

for (const product of ['node', 'deno', 'native', 'wasmtime', 'spidermonkey']) {
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

test('ends a shell that uses more memory than its part', async () => {
  test.skip(whyNoConfinement() !== null, whyNoConfinement() ?? '');
  const place = await makeSessionDirectory(await aFolder());
  const executable = process.execPath;
  const script = join(pagesFolder(), 'kit', 'shell-bridge.js');
  const facts = { place, browser: 'jsc', executables: [executable], script };
  const { command, close } = await confine({ ...facts, watched: 2 ** 28 });
  const take = (bytes: number): string =>
    `Buffer.alloc(${String(bytes)}, 1); setTimeout(() => process.exit(7), 3000)`;
  const end = async (bytes: number): Promise<readonly unknown[]> => {
    const [program = '', ...args] = [
      ...command,
      executable,
      '-e',
      take(bytes),
      'http://127.0.0.1:9999',
    ];
    const { exitCode, signal, stderr } = await execa(program, args, { reject: false });
    return [exitCode === 7 ? 'ended' : 'was ended', signal ?? '', stderr];
  };
  expect(await end(2 ** 20)).toEqual(['ended', '', '']);
  const [how, , said] = await end(2 ** 29);
  expect(how).toBe('was ended');
  expect(said).toMatch(/it took more memory than it may/);
  await close();
  expect([watchedBytes('jsc') > 0, watchedBytes('node')]).toEqual([true, 0]);
});
