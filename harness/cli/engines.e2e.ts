/** The way from a page to its report, once in each engine: what `npm test` tries of a browser. */
import { expect, test } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { farm, leftRunning } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

interface Told {
  readonly status: string;
  readonly reason?: string;
}

const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '1', '--no-repeat'];

for (const device of ['chromium', 'firefox', 'webkitgtk', 'node']) {
  test(`from a page to its report in ${device}`, { tag: '@quick' }, async () => {
    const folder = await aFolder();
    const found = await farm(folder, 'devices', '--device', device, '--json');
    const [told] = JSON.parse(found.stdout) as Told[];
    test.skip(told?.status === 'missing', told?.reason ?? '');
    const run = await farm(folder, 'run', ...small, '--device', device, '--json');
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'run-finished',
      cells: { planned: 1, completed: 1 },
    });
    expect(leftRunning(folder)).toEqual([]);
    const report = await farm(folder, 'report', '--json');
    expect(report.code, report.stderr).toBe(0);
    const { path } = JSON.parse(report.stdout) as { readonly path: string };
    expect(await readFile(path, 'utf8')).toContain('promise');
  });
}
