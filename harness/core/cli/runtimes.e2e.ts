import { existsSync } from 'node:fs';
import { test, expect } from '@playwright/test';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

const small = [
  ...['--bench', 'promise', '--param', 'operation=chain'],
  ...['--trials', '1', '--measurement', 'fast'],
];

interface Event {
  readonly type: string;
  readonly cells?: { readonly planned: number; readonly completed: number };
}

test('finds a runtime like a browser, names its limits, completes a run', async () => {
  const folder = await aFolder();
  const devices = await farm(folder, 'devices', '--device', 'node', '--json');
  expect(JSON.parse(devices.stdout)).toEqual([
    expect.objectContaining({
      id: 'node',
      status: 'found',
      driver: 'process',
      browser: { name: 'node', version: process.version.slice(1) },
      capabilities: expect.arrayContaining([
        expect.objectContaining({ name: 'evaluate', supported: false }),
      ]),
    }),
  ]);
  const run = await farm(folder, 'run', ...small, '--device', 'node', '--json');
  expect(run.code, run.stderr).toBe(0);
  const last = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as Event;
  expect(last).toMatchObject({ type: 'run-finished', cells: { planned: 1, completed: 1 } });
  const report = await farm(folder, 'report', 'latest', '--json');
  expect(report.code, report.stderr).toBe(0);
});

test('refuses runtime-only cases on a browser, in comparisons and runs', async () => {
  test.skip(!existsSync('/usr/bin/chromium'), 'there is no /usr/bin/chromium on this machine');
  const folder = await aFolder();
  const immediate = ['--bench', 'promise', '--param', 'operation=setImmediate'];
  const refused = await farm(folder, 'compare', 'node', 'chromium-open', ...immediate);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/cannot run on chromium-open.*browser/);
  const nothing = await farm(folder, 'run', ...immediate, '--device', 'chromium-open');
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toMatch(/promise cannot run on chromium-open.*left out/);
});

test('a missing runtime is reported with the command that installs it', async () => {
  const folder = await aFolder();
  const devices = await farm(folder, 'devices', '--device', 'node24,bun', '--json');
  const missing = (JSON.parse(devices.stdout) as { status: string; remedy?: string }[]).filter(
    ({ status }) => status === 'missing',
  );
  test.skip(missing.length === 0, 'both runtimes are on PATH');
  for (const { remedy } of missing) expect(remedy).toBe('npx crossfarm devices setup --runtimes');
});
