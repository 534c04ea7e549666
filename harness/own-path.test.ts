import { expect, test } from '@playwright/test';
import { lchownSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { requireOwnLinks } from './own-path.ts';
import { openStore } from './store/store.ts';
import { aFolder } from './testing/folder.ts';
import { writeWholeFile } from './transfer/bundle/whole-file.ts';

const anotherUser = 54_321;

test('writes nothing over a symbolic link of another user @attack', async () => {
  test.skip(process.getuid?.() !== 0, 'only root can make a link of another user');
  const folder = await aFolder();
  const precious = join(folder, 'precious');
  mkdirSync(precious);
  const link = (name: string, target: string, owner: number): void => {
    symlinkSync(target, join(folder, name));
    lchownSync(join(folder, name), owner, owner);
  };
  link('theirs', precious, anotherUser);
  link('theirs.txt', join(precious, 'new.txt'), anotherUser);
  link('over', 'theirs', 0);
  for (const name of ['theirs/a/b.txt', 'theirs.txt', 'over/x', 'theirs']) {
    const path = join(folder, name);
    await expect(requireOwnLinks(path), name).rejects.toMatchObject({ code: 'cannot-write' });
    await expect(writeWholeFile(path, ''), name).rejects.toThrow(/link of another user/);
    await expect(openStore(path), name).rejects.toThrow(/link of another user/);
  }
  expect(readdirSync(precious)).toEqual([]);
});

test('follows links of its own user and of root', async () => {
  const folder = await aFolder();
  mkdirSync(join(folder, 'place'));
  symlinkSync('place', join(folder, 'own'));
  await writeWholeFile(join(folder, 'own', 'new', 'file.txt'), 'fine');
  expect(readdirSync(join(folder, 'place', 'new'))).toEqual(['file.txt']);
});
