import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { test, expect } from '@playwright/test';
import { askFreshProcess } from './fresh-process.js';

/** A script of this test's own; the test runner removes it. */
async function aScript(code: string): Promise<URL> {
  const path = test.info().outputPath('script.cjs');
  await writeFile(path, code);
  return pathToFileURL(path);
}

test('a script in a fresh process gets the order and gives what it prints', async () => {
  const script = await aScript(
    'console.log(JSON.stringify({ pid: process.pid, order: JSON.parse(process.argv[2]) }))',
  );
  const order = { words: ['a b', '"', '✓'] };
  const [one, other] = [await askFreshProcess(script, order), await askFreshProcess(script, order)];
  expect(one.order).toEqual(order);
  expect(new Set([one.pid, other.pid, process.pid]).size).toBe(3);
});

test('the flags of this process are those of the fresh one', async () => {
  const script = await aScript('console.log(JSON.stringify(process.execArgv))');
  const { execArgv } = process;
  try {
    process.execArgv = ['--single-threaded-gc'];
    expect(await askFreshProcess(script, null)).toEqual(['--single-threaded-gc']);
  } finally {
    process.execArgv = execArgv;
  }
});

const failures = [
  ['ends with an error', 'console.error("no such thing"); process.exit(3)', 'no such thing'],
  ['prints no JSON', 'console.log("hello")', 'not valid JSON'],
  ['prints nothing', '', 'JSON'],
] as const;

for (const [what, code, message] of failures) {
  test(`a script that ${what} is an error that says so`, async () => {
    const asked = askFreshProcess(await aScript(code), null);
    await expect(asked).rejects.toThrow(/A fresh process failed: /);
    await expect(asked).rejects.toThrow(message);
  });
}

test('starts no process in a host other than a runtime', async () => {
  const { versions } = process;
  try {
    Object.defineProperty(process, 'versions', { value: {}, configurable: true });
    const asked = askFreshProcess(new URL('file:///nothing.cjs'), null);
    await expect(asked).rejects.toThrow('starts no processes');
  } finally {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  }
});
