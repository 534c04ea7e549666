import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findInstalled } from '../../../drivers/conformance.ts';
import type { Trial } from '../model/trial.ts';
import { compiledProgram } from '../setup/programs.ts';
import { farm, leftRunning, newestTrials } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

const shells = [
  { browser: 'jsc', executable: findInstalled('/usr/bin/jsc') },
  { browser: 'spidermonkey', executable: findInstalled('/usr/bin/js102') },
  { browser: 'chakracore', executable: findInstalled(compiledProgram('chakracore')) },
] as const;

const fib = ['--bench', 'fib', '--param', 'function=asyncFib', '--param', 'n=12'];
const once = [...fib, '--param', 'place=main', '--trials', '1'];

for (const { browser, executable } of shells) {
  test(`${browser} runs a benchmark’s own module, and its main thread is seen`, async () => {
    test.skip(executable === null, `there is no shell ${browser} on this machine`);
    const folder = await aFolder();
    const device = { id: browser, browser, driver: 'process', executable };
    await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
    // By the usual rules: in a short window a thread may use no tick of the kernel's clock.
    const run = await farm(folder, 'run', ...once, '--no-repeat', '--device', browser);
    expect(run.code, run.stderr).toBe(0);
    const [trial] = await newestTrials(folder);
    const text = JSON.stringify(trial?.outcome);
    expect(text).toContain(`"userAgent":"${browser}, started by Node.js/`);
    expect(text).toContain('"role":"js-main"');
    expect(leftRunning(folder)).toEqual([]);
  });
}

/** A shell for tests: Node.js with what a shell has, and a fault of the test's own. */
const double = (fault: string): string => `#!/usr/bin/env node
// Without an answer the farm would wait for one, and the fault is for the trial.
if (process.argv.includes('--version')) process.exit();
const { readSync, writeSync } = require('node:fs');
globalThis.print = (text) => writeSync(1, text + '\\n');
globalThis.readline = () => {
  const [byte, bytes] = [Buffer.alloc(1), []];
  while (readSync(0, byte) === 1 && byte[0] !== 10) bytes.push(byte[0]);
  return Buffer.from(bytes).toString();
};
${fault}
import(process.argv.at(-1));
`;

/** A folder with one device, which is such a shell. */
async function aShell(fault: string): Promise<string> {
  const folder = await aFolder();
  const executable = join(folder, 'shell.cjs');
  await writeFile(executable, double(fault));
  await chmod(executable, 0o755);
  const device = { id: 'shell', browser: 'spidermonkey', driver: 'process', executable };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [device] }));
  return folder;
}

const inShell = ['--device', 'shell'];

/** Runs one trial in it. */
async function runIn(fault: string, ...more: readonly string[]): Promise<Ending> {
  const folder = await aShell(fault);
  const measuring = ['run', ...once, ...inShell, '--measurement', 'fast', ...more];
  await farmInProcess(folder, ...measuring);
  const [trial] = await newestTrials(folder);
  return { folder, outcome: trial?.outcome };
}

interface Ending {
  readonly folder: string;
  readonly outcome: Trial['outcome'] | undefined;
}

test('a shell that speaks as shells do completes', async () => {
  expect((await runIn('')).outcome).toMatchObject({ kind: 'completed' });
});

for (const [what, fault, reason] of [
  ['dies', 'process.exit(7);', /The program ended with 7/],
  ['prints what is no message', 'print("Segmentation fault");', /no message: Segmentation fault/],
  ['says what went wrong', 'performance.now = () => 1;', /The clock stands still/],
] as const) {
  test(`a shell that ${what} fails with its own words, and leaves nothing running`, async () => {
    const { outcome, folder } = await runIn(fault);
    const message = expect.stringMatching(reason);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { message } });
    expect(leftRunning(folder)).toEqual([]);
  });
}

test('a shell that never answers is ended at the deadline', async () => {
  const { outcome, folder } = await runIn('while (true);', '--deadline', '1s');
  expect(outcome).toMatchObject({ kind: 'timed-out' });
  expect(leftRunning(folder)).toEqual([]);
});

test('a case in a worker cannot run in a shell without workers', async () => {
  const folder = await aShell('');
  const refused = await farmInProcess(folder, 'run', ...fib, ...inShell, '--param', 'place=worker');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('cannot run on shell');
  expect(await readFile(join(folder, '.farm', 'farm.db')).catch(() => null)).toBeNull();
});
