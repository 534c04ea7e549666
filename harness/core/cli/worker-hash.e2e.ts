import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

interface Device {
  readonly id: string;
  readonly status: string;
}

/** Deno and Bun are in `server/runtimes.e2e.ts`. */
const wanted = ['chromium', 'firefox', 'webkitgtk', 'node'];

test('workers start, hash and end in every browser, and a crossover is reported', async () => {
  const folder = await aFolder();
  const listed = await farm(folder, 'devices', '--device', wanted.join(), '--json');
  const devices = (JSON.parse(listed.stdout) as Device[])
    .filter(({ status }) => status === 'found')
    .map(({ id }) => id);
  test.skip(devices.length === 0, 'no browser and no runtime was found');
  const run = await farm(
    folder,
    ...['run', '--bench', 'worker-hash', '--device', devices.join(), '--json'],
    ...['--param', 'calls=5,50', '--param', 'threads=0,3', '--param', 'run=first'],
    ...['--isolation', 'page', '--trials', '1', '--measurement', 'fast'],
  );
  expect(run.code, run.stdout).toBe(0);
  const last = JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '') as object;
  const planned = 4 * devices.length;
  expect(last).toMatchObject({ type: 'run-finished', cells: { planned, completed: planned } });
  const report = await farm(folder, 'report', 'latest', '--out', 'report.html');
  expect(report.code, report.stderr).toBe(0);
  const html = await readFile(join(folder, 'report.html'), 'utf8');
  expect(html).toContain('<h2 id="crossover">');
});
