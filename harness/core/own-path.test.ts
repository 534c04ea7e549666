import { expect, test } from '@playwright/test';
import {
  lchownSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireOwnLinks, writeWholeFile } from './own-path.ts';
import { sweepLeftovers } from './session/leftovers.ts';
import { makeSessionDirectory } from './session/session-directory.ts';
import { installFromNpm } from './setup/attempt.ts';
import { addBuild, makeRoom, removeBuild } from './setup/build-store.ts';
import { giveConsent, hasConsent, requireConsent } from './setup/consent.ts';
import { openStore } from './store/store.ts';
import { aFolder } from '../testing/folder.ts';

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
    expect(() => {
      requireOwnLinks(path);
    }, name).toThrow(expect.objectContaining({ code: 'cannot-write' }));
    await expect(writeWholeFile(path, ''), name).rejects.toThrow(/link of another user/);
    await expect(openStore(path), name).rejects.toThrow(/link of another user/);
  }
  expect(readdirSync(precious)).toEqual([]);
});

test('no setup, session, sweep or pruning goes over a link of another user @attack', async () => {
  test.skip(process.getuid?.() !== 0, 'only root can make a link of another user');
  const folder = await aFolder();
  const precious = join(folder, 'precious');
  const run = join(precious, 'run-1');
  const session = join(precious, 'deadbeef');
  for (const made of [run, join(session, 'tmp')]) mkdirSync(made, { recursive: true });
  const own = join(folder, 'own');
  mkdirSync(own);
  for (const [name, to] of [
    ['theirs', precious],
    [join('own', 'chromium'), precious],
    [join('own', 'node_modules'), precious],
    [join('own', 'deadbeef'), session],
  ] as const) {
    symlinkSync(to, join(folder, name));
    lchownSync(join(folder, name), anotherUser, anotherUser);
  }
  utimesSync(session, 0, 0);
  const theirs = join(folder, 'theirs');
  const installed: string[] = [];
  const tools = {
    keep: false,
    say: () => undefined,
    attempt: ([command = '']: readonly string[]) => Promise.resolve(installed.push(command) > 0),
  };
  const build = { product: 'chromium', version: '1', executable: 'x', keptAt: '', bytes: 0 };
  for (const refused of [
    () => addBuild(theirs, () => Promise.resolve(build)),
    () => addBuild(own, () => Promise.resolve(build)),
    () => removeBuild(own, { ...build, version: 'run-1' }),
    () => makeRoom({ folder: theirs, budgetBytes: 0 }, () => false),
    () => installFromNpm(['left-pad'], own, tools),
    () => makeSessionDirectory(theirs),
    () => sweepLeftovers(theirs),
  ]) {
    await expect(refused()).rejects.toThrow(/link of another user/);
  }
  expect(await sweepLeftovers(own)).toBe(0);
  expect(readdirSync(precious).sort()).toEqual(['deadbeef', 'run-1']);
  expect(readdirSync(session)).toEqual(['tmp']);
  expect(installed).toEqual([]);
});

test("never trusts the destination of another user's link @attack", async () => {
  test.skip(process.getuid?.() !== 0, 'only root can make a link of another user');
  const folder = await aFolder();
  const [file, link] = [join(folder, 'devices.json'), join(folder, 'link.json')];
  writeFileSync(file, '{"devices":[]}');
  symlinkSync(file, link);
  const before = process.env;
  process.env = { ...before, CROSSFARM_TRUST: '', XDG_STATE_HOME: folder };
  try {
    giveConsent(file);
    expect(hasConsent(link)).toBe(true);
    lchownSync(link, anotherUser, anotherUser);
    expect(hasConsent(file)).toBe(true);
    expect(() => {
      requireConsent(link, ['runs a program']);
    }).toThrow(/link of another user/);
  } finally {
    process.env = before;
  }
});

test('follows links of the same user and of root', async () => {
  const folder = await aFolder();
  mkdirSync(join(folder, 'place'));
  symlinkSync('place', join(folder, 'own'));
  await writeWholeFile(join(folder, 'own', 'new', 'file.txt'), 'fine');
  expect(readdirSync(join(folder, 'place', 'new'))).toEqual(['file.txt']);
});

test('replaces a file, so that a reader keeps the old one whole', async () => {
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
