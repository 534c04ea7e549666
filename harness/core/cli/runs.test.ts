import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';

test('lists runs with what they found and what may be done next', async () => {
  const database = await aStoredHistory();
  const told = await farm(await aFolder(), 'runs', '--database', database);
  expect(told.code).toBe(0);
  const lines = told.stdout.split('\n').filter((line) => /^│ \d/.test(line));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/│ 2 +│ 2026-11-21 00:00 │.*decided.*│ 35 of 36, 1 failed/);
  expect(told.stderr).toMatch(/: npx crossfarm report 1 2$/m);
});

test('prints as many runs as asked as JSON; "list" is the same', async () => {
  const database = await aStoredHistory();
  const folder = await aFolder();
  const told = await farm(folder, 'list', '--database', database, '--json', '--limit', '1');
  expect(JSON.parse(told.stdout)).toMatchObject({
    runs: [
      { run: 2, status: 'finished', cells: { planned: 36, failed: 1 }, outcome: { undecided: 6 } },
    ],
    more: true,
  });
});

test('without a database it says how to begin, and makes none', async () => {
  const folder = await aFolder();
  const told = await farm(folder, 'runs');
  expect(told).toMatchObject({ code: 0, stdout: '' });
  expect(told.stderr).toContain('npx crossfarm start');
  expect(existsSync(join(folder, '.farm'))).toBe(false);
});

test('without a command it says how to begin, and makes no database', async () => {
  const folder = await aFolder();
  const told = await farm(folder);
  expect(told).toMatchObject({ code: 0, stderr: '' });
  for (const command of ['start', 'compare old.html new.html', 'serve', '--help']) {
    expect(told.stdout).toContain(`npx crossfarm ${command}`);
  }
  expect(told.stdout).not.toContain('newest run');
  expect(existsSync(join(folder, '.farm'))).toBe(false);
});

test('without a command it names the newest run and what it found', async () => {
  const folder = await aFolder();
  await mkdir(join(folder, '.farm'));
  await copyFile(await aStoredHistory(), join(folder, '.farm', 'farm.db'));
  const told = await farm(folder);
  expect(told.stdout).toMatch(/^newest run: 2, .*2026-11-21 00:00 UTC: .*decided/m);
  expect(told.stdout).toContain('npx crossfarm report 2');
});

test('without a command an unreadable database is passed over', async () => {
  const folder = await aFolder();
  await mkdir(join(folder, '.farm'));
  await writeFile(join(folder, '.farm', 'farm.db'), 'no database');
  expect(await farm(folder)).toMatchObject({ code: 0, stderr: '' });
});
