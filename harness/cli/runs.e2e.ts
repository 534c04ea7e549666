import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { farm } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';
import { aStoredHistory } from '../testing/stored-history.ts';

test('runs are listed with what they found and what may be done with them', async () => {
  const database = await aStoredHistory();
  const told = await farm(await aFolder(), 'runs', '--database', database);
  expect(told.code).toBe(0);
  const lines = told.stdout.split('\n').filter((line) => /^│ \d/.test(line));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/│ 2 +│ 2026-11-21 00:00 │.*decided.*│ 35 of 36, 1 failed/);
  expect(told.stderr).toContain('npx farm report 1 2');
});

test('as JSON, and no more than are asked for; "list" is the same', async () => {
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

test('where nothing is stored it says how to begin, and makes no database', async () => {
  const folder = await aFolder();
  const told = await farm(folder, 'runs');
  expect(told).toMatchObject({ code: 0, stdout: '' });
  expect(told.stderr).toContain('npx farm start');
  expect(existsSync(join(folder, '.farm'))).toBe(false);
});

test('a shell is given the options of every command', async () => {
  const { stdout } = await farm(await aFolder(), 'completion', 'bash');
  expect(stdout).toMatch(/compare\) words="[^"]*--fail-on/);
  expect(stdout).toMatch(/runs\) words="[^"]*--limit/);
});
