import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { farm, startFarm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

test('the built farm refuses an unknown command on stderr, with exit code 2', async () => {
  const { code, stderr, stdout } = await farm(await aFolder(), 'rnu');
  expect(stderr).toMatch(/unknown command 'rnu'[\s\S]*Did you mean run\?/);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('shows a bug of the farm with its stack and exit code', async () => {
  const folder = await aFolder();
  const bug = join(folder, 'bug.mjs');
  const gone = { id: 'gone', browser: 'program', driver: 'open', executable: '/nowhere' };
  await writeFile(join(folder, 'devices.json'), JSON.stringify({ devices: [gone] }));
  await writeFile(bug, `Promise.all = () => { throw new TypeError('boom'); };`);
  const child = startFarm(folder, ['devices'], { NODE_OPTIONS: `--import=${bug}` });
  const { exitCode, stderr } = await child;
  expect(String(stderr)).toMatch(/bug of the farm[\s\S]*boom[\s\S]*at /);
  expect(exitCode).toBe(70);
});

test('help names every command and the exit codes, and loads no heavy library', async () => {
  const { code, stdout } = await farm(await aFolder(), '--help');
  for (const word of ['devices', 'run', 'compare', 'report', 'continue', 'Exit codes'])
    expect(stdout).toContain(word);
  expect(code).toBe(0);
});

test('accepts a reader that closes the pipe early, as head does', async () => {
  const child = startFarm(await aFolder(), ['run', '--help']);
  child.stdout.destroy();
  const { exitCode, stderr } = await child;
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
});
