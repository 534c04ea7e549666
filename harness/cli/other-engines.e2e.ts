import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, expect } from '@playwright/test';
import { projectRoot } from '../project.ts';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

interface Declared {
  readonly id: string;
  readonly browser: string;
  readonly executable?: string;
  readonly flags?: readonly string[];
}

const example = join(projectRoot(), 'devices.example.json');
const { devices } = JSON.parse(readFileSync(example, 'utf8')) as {
  readonly devices: readonly Declared[];
};
const programs = devices.filter(({ browser }) => browser === 'program');

/** Its own program, and the one that it is to start. */
function needed({ executable = '', flags = [] }: Declared): readonly string[] {
  return flags[0] === '--' ? [executable, flags[1] ?? ''] : [executable];
}

for (const program of programs) {
  const { id } = program;
  test(`${id} is a device by one line: it opens a page, is measured, and leaves nothing running`, async () => {
    const absent = needed(program).filter((name) => findOnPath([name]) === null);
    test.skip(absent.length > 0, `not installed here: ${absent.join(', ')}`);
    const folder = await aFolder();
    const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '1'];
    const device = ['--inventory', example, '--device', id, '--no-repeat'];
    const run = await farm(folder, 'run', ...small, ...device);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout + run.stderr).toContain('1 completed of 1 planned');
    expect(leftRunning(folder)).toEqual([]);
  });
}
