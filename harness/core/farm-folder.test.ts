import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeFolder } from './farm-folder.ts';
import { openStore } from './store/store.ts';
import { aFolder } from '../testing/folder.ts';

test('git ignores a new .farm with any first entry', async () => {
  const folder = await aFolder();
  await makeFolder(join(folder, '.farm', 'builds', 'chromium'), 0o700);
  expect(readFileSync(join(folder, '.farm', '.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(join(folder, '.gitignore'))).toBe(false);
  expect(existsSync(join(folder, '.farm', 'builds', '.gitignore'))).toBe(false);
  expect(statSync(join(folder, '.farm', 'builds')).mode & 0o777).toBe(0o700);
});

test('a new database makes its .farm ignored by git', async () => {
  const folder = await aFolder();
  await (await openStore(join(folder, '.farm', 'farm.db'))).close();
  expect(readFileSync(join(folder, '.farm', '.gitignore'), 'utf8')).toBe('*\n');
});

test('a .farm that is there keeps what it has, with or without .gitignore', async () => {
  const own = join(await aFolder(), '.farm');
  mkdirSync(own);
  await makeFolder(join(own, 'builds'));
  expect(existsSync(join(own, '.gitignore'))).toBe(false);
  writeFileSync(join(own, '.gitignore'), 'farm.db\n');
  await makeFolder(own);
  await makeFolder(join(own, 'nights'));
  expect(readFileSync(join(own, '.gitignore'), 'utf8')).toBe('farm.db\n');
});

test('a file in the way of a folder is an error', async () => {
  const folder = await aFolder();
  writeFileSync(join(folder, '.farm'), '');
  await expect(makeFolder(join(folder, '.farm'))).rejects.toThrow('EEXIST');
  await expect(makeFolder(join(folder, '.farm', 'builds'))).rejects.toThrow('ENOTDIR');
});
