import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Target } from '../model/device.ts';
import { aDevice } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { askVersion } from './executable.ts';
import { listBuilds } from './build-store.ts';
import { findBuildHome, keepBuilds, type Keeping } from './kept-builds.ts';

const budgetBytes = 100_000;

function keeping(folder: string, more: Partial<Keeping> = {}): Keeping {
  return { folder: join(folder, 'builds'), budgetBytes, now: '2026-01-01T00:00:00.000Z', ...more };
}

/** A browser in its own folder, with a library that says its version. */
async function aBrowser(folder: string, version: string, bytes = 0): Promise<Target> {
  const executable = join(folder, 'installed', 'chrome');
  await mkdir(join(dirname(executable), 'lib'), { recursive: true });
  await writeFile(join(dirname(executable), 'lib', 'version'), version);
  await writeFile(join(dirname(executable), 'lib', 'ballast'), 'x'.repeat(bytes));
  await writeFile(executable, '#!/bin/sh\necho "Chrome $(cat "$(dirname "$0")/lib/version")"\n');
  await chmod(executable, 0o755);
  return aTarget('chromium', version, executable);
}

function aTarget(browser: string, version: string, executable: string): Target {
  return { device: aDevice('it', { browser }), browser: { name: browser, version }, executable };
}

test("keeps a build whole and unchanged after the browser's update", async () => {
  const folder = await aFolder();
  const old = await aBrowser(folder, '1.2.3');
  const order = keeping(folder);
  expect(await keepBuilds([old], order)).toMatchObject([
    { kind: 'kept', build: { product: 'chromium', version: '1.2.3', keptAt: order.now } },
  ]);
  await aBrowser(folder, '1.2.4');
  const [build] = await listBuilds(order.folder);
  expect(await askVersion([[build?.executable ?? '', '--version']])).toBe('1.2.3');
});

test('each version is kept once', async () => {
  const folder = await aFolder();
  const old = await aBrowser(folder, '1.2.3');
  await keepBuilds([old], keeping(folder));
  const later = keeping(folder, { now: '2026-01-02T00:00:00.000Z' });
  await keepBuilds([old, old], later);
  const builds = await listBuilds(later.folder);
  expect(builds.map(({ keptAt }) => keptAt)).toEqual(['2026-01-01T00:00:00.000Z']);
});

test('removes the oldest builds to make room, and keeps those of tonight', async () => {
  const folder = await aFolder();
  for (const day of [1, 2, 3, 4]) {
    const target = await aBrowser(folder, `1.${String(day)}`, 40_000);
    await keepBuilds([target], keeping(folder, { now: `2026-01-0${String(day)}T00:00:00.000Z` }));
  }
  const versions = async (): Promise<readonly string[]> =>
    (await listBuilds(join(folder, 'builds'))).map(({ version }) => version);
  expect(await versions()).toEqual(['1.3', '1.4']);
  await keepBuilds([await aBrowser(folder, '1.4')], keeping(folder, { budgetBytes: 45_000 }));
  expect(await versions()).toEqual(['1.4']);
});

test('does not keep a build larger than the budget, nor remove others', async () => {
  const folder = await aFolder();
  await keepBuilds([await aBrowser(folder, '1.1')], keeping(folder));
  const large = await aBrowser(folder, '1.2', 200_000);
  expect(await keepBuilds([large], keeping(folder))).toMatchObject([{ kind: 'not-kept' }]);
  expect((await listBuilds(join(folder, 'builds'))).map(({ version }) => version)).toEqual(['1.1']);
});

test('a copy that says another version is not kept', async () => {
  const folder = await aFolder();
  const target = await aBrowser(folder, '1.1');
  const updated = { ...target, browser: { name: 'chromium', version: '1.0' } };
  const [answer] = await keepBuilds([updated], keeping(folder));
  expect(answer).toMatchObject({
    kind: 'not-kept',
    because: expect.stringMatching(/\b1\.1, not 1\.0$/) as unknown,
  });
  expect(await listBuilds(join(folder, 'builds'))).toEqual([]);
});

test('ignores half a copy, and one whose executable is gone', async () => {
  const folder = await aFolder();
  const order = keeping(folder);
  await mkdir(join(order.folder, 'chromium', '9.9.half'), { recursive: true });
  await mkdir(join(order.folder, 'chromium', '9.8'), { recursive: true });
  await keepBuilds([await aBrowser(folder, '1.1')], order);
  const [build] = await listBuilds(order.folder);
  expect(await listBuilds(order.folder)).toHaveLength(1);
  await rm(build?.executable ?? '');
  expect(await listBuilds(order.folder)).toEqual([]);
  expect(await listBuilds(join(folder, 'nowhere'))).toEqual([]);
});

test('a name or version that is a path stays inside the folder', async () => {
  const folder = await aFolder();
  const target = await aBrowser(folder, '1.1');
  const strange = { ...target, browser: { name: '../..', version: '../../1.1' } };
  await keepBuilds([strange], keeping(folder));
  expect((await readdir(folder)).sort()).toEqual(['builds', 'installed']);
});

test('keeps the single file of a runtime, and the target of a link', async () => {
  const folder = await aFolder();
  const browser = await aBrowser(folder, '1.1');
  const link = join(folder, 'link');
  await symlink(browser.executable, link);
  expect(await findBuildHome(aTarget('node', '1.1', link))).toEqual({
    root: browser.executable,
    executable: browser.executable,
  });
  expect(await findBuildHome(aTarget('chromium', '1.1', link))).toEqual({
    root: dirname(browser.executable),
    executable: browser.executable,
  });
});

test('says why a build cannot be kept', async () => {
  const folder = await aFolder();
  const bin = join(folder, 'bin', 'chrome');
  await mkdir(dirname(bin));
  await writeFile(bin, '#!/bin/sh\n');
  await chmod(bin, 0o755);
  const because = async (target: Target): Promise<unknown> => findBuildHome(target);
  expect(await because(aTarget('chromium', '1', bin))).toEqual({
    because: expect.stringMatching(new RegExp(`not known.* ${dirname(bin)} `)),
  });
  expect(await because(aTarget('webkitgtk', '1', bin))).toMatchObject({
    because: expect.stringMatching(/files .*system/) as unknown,
  });
  expect(await because(aTarget('native', '1', bin))).toMatchObject({
    because: 'it is made from its source',
  });
  expect(await because(aTarget('chromium', '1', ''))).toMatchObject({
    because: 'it is not on this machine',
  });
});

test('the copy’s files are those of the build', async () => {
  const folder = await aFolder();
  await keepBuilds([await aBrowser(folder, '1.1')], keeping(folder));
  const [build] = await listBuilds(join(folder, 'builds'));
  const library = join(dirname(build?.executable ?? ''), 'lib', 'version');
  expect(await readFile(library, 'utf8')).toBe('1.1');
});
