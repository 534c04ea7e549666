import { expect, test } from '@playwright/test';
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { writeWholeFile } from './whole-file.ts';

test('a file is replaced, not written over: a reader of the old one keeps it whole', async () => {
  const folder = await aFolder();
  const path = join(folder, 'deep', 'page.html');
  await writeWholeFile(path, 'old');
  await link(path, join(folder, 'held'));
  await writeWholeFile(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readFile(join(folder, 'held'), 'utf8')).toBe('old');
  expect(await readdir(join(folder, 'deep'))).toEqual(['page.html']);
});

test('writes the target of a link, and keeps the link', async () => {
  const folder = await aFolder();
  await writeFile(join(folder, 'real'), 'old');
  await symlink('real', join(folder, 'link'));
  await writeWholeFile(join(folder, 'link'), 'new');
  expect(await readFile(join(folder, 'real'), 'utf8')).toBe('new');
  expect((await lstat(join(folder, 'link'))).isSymbolicLink()).toBe(true);
});

test('a folder is not replaced, and no half file is left', async () => {
  const folder = await aFolder();
  await mkdir(join(folder, 'page.html'));
  await expect(writeWholeFile(join(folder, 'page.html'), 'new')).rejects.toThrow(/EISDIR/);
  expect(await readdir(folder)).toEqual(['page.html']);
});

test('a device is written to and stays one', async () => {
  test.skip(process.platform === 'win32', 'there is no /dev/null on Windows');
  await writeWholeFile('/dev/null', 'gone');
  expect((await lstat('/dev/null')).isCharacterDevice()).toBe(true);
});
