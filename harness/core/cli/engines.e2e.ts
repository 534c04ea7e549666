import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { projectRoot } from '../project.ts';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

/** The way from a page to its report, once in each engine: what `npm test` tries of a browser. */

interface DeviceStatus {
  readonly status: string;
  readonly reason?: string;
}

const small = [
  ...['--bench', 'promise', '--param', 'operation=chain'],
  ...['--trials', '1', '--measurement', 'fast'],
];

for (const device of ['chromium', 'firefox', 'webkitgtk', 'node']) {
  test(`from a page to its report in ${device}`, { tag: '@quick' }, async () => {
    const folder = await aFolder();
    const found = await farm(folder, 'devices', '--device', device, '--json');
    const [told] = JSON.parse(found.stdout) as DeviceStatus[];
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

interface DeclaredDevice {
  readonly id: string;
  readonly browser: string;
  readonly executable?: string;
  readonly flags?: readonly string[];
}

const example = join(projectRoot(), 'devices.example.json');
const { devices } = JSON.parse(readFileSync(example, 'utf8')) as {
  readonly devices: readonly DeclaredDevice[];
};
const programs = devices.filter(({ browser }) => browser === 'program');

/** Its own program, and the one that it is to start. */
function needed({ executable = '', flags = [] }: DeclaredDevice): readonly string[] {
  return flags[0] === '--' ? [executable, flags[1] ?? ''] : [executable];
}

for (const program of programs) {
  const { id } = program;
  test(`${id} needs one line as a device and leaves nothing running`, async () => {
    const absent = needed(program).filter((name) => findOnPath([name]) === null);
    test.skip(absent.length > 0, `not installed here: ${absent.join(', ')}`);
    const folder = await aFolder();
    const device = ['--inventory', example, '--device', id];
    const run = await farm(folder, 'run', ...small, ...device);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout + run.stderr).toContain('1 completed of 1 planned');
    expect(leftRunning(folder)).toEqual([]);
  });
}
