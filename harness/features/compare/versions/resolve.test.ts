import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../../testing/folder.ts';
import { rootWith } from './on-disk.ts';
import { identicalToFirst, isVersion, type Version, withVersions } from './resolve.ts';

const caller = { signal: new AbortController().signal, say: () => undefined };

function resolveVersions(
  names: readonly string[],
  where: Parameters<typeof withVersions>[1],
): Promise<readonly Version[]> {
  return withVersions(names, where, { caller, use: (versions) => Promise.resolve(versions) });
}

/** A folder with two pages, and two folders with one each. */
async function pages(): Promise<string> {
  const folder = await aFolder();
  await writeFile(join(folder, 'old.html'), 'old');
  await writeFile(join(folder, 'new.html'), 'new');
  for (const name of ['one', 'two']) {
    await mkdir(join(folder, name, 'lib'), { recursive: true });
    await writeFile(join(folder, name, 'index.html'), 'same');
    await writeFile(join(folder, name, 'lib', 'x.js'), 'same');
  }
  return folder;
}

test('files, folders and URLs are versions, under the names that they were given', async () => {
  const from = await pages();
  const url = 'http://127.0.0.1:8000/a?b#c';
  expect(await resolveVersions(['old.html', 'one', url], { from })).toEqual([
    { name: 'old.html', kind: 'file', place: { kind: 'folder', folder: from, page: 'old.html' } },
    {
      name: 'one',
      kind: 'folder',
      // As its own server would give it.
      place: { kind: 'folder', folder: join(from, 'one'), page: '' },
    },
    { name: url, kind: 'url', place: { kind: 'url', url } },
  ]);
});

test("uses a URL's user and password and hides them from names", async () => {
  const url = 'http://bo:geheim@127.0.0.1:8000/a?b@c';
  const [one] = await resolveVersions([url], {});
  expect(one).toEqual({
    name: 'http://127.0.0.1:8000/a?b@c',
    kind: 'url',
    place: { kind: 'url', url },
  });
  const long = `http://bo:geheim@127.0.0.1/${'x'.repeat(100)}`;
  await expect(resolveVersions([long], {})).rejects.toThrow(/^(?![^]*geheim)/);
  const twice = [url, 'http://127.0.0.1:8000/a?b@c'];
  await expect(resolveVersions(twice, {})).rejects.toThrow(
    /^(?![^]*geheim).*given twice, for two users/,
  );
});

test('the page of folders may be another, with a query', async () => {
  const from = await pages();
  const [one] = await resolveVersions(['one'], { from, page: 'lib/x.js?fast' });
  expect(one?.place).toMatchObject({ page: 'lib/x.js?fast' });
  await expect(resolveVersions(['one'], { from, page: 'bench.html' })).rejects.toThrow(
    /one has no bench/,
  );
});

test('a page’s name may hold what else begins a query: the longest file counts', async () => {
  const from = await pages();
  await writeFile(join(from, 'one', '50% off #2.html'), 'x');
  const pageOf = async (page: string): Promise<unknown> =>
    (await resolveVersions(['one'], { from, page }))[0]?.place;
  expect(await pageOf('50% off #2.html')).toMatchObject({ page: '50%25%20off%20%232.html' });
  expect(await pageOf('50% off #2.html?a#b')).toMatchObject({
    page: '50%25%20off%20%232.html?a#b',
  });
});

test('excludes links out of a folder and follows a named one', async () => {
  const from = await pages();
  await writeFile(join(from, 'secret.html'), 'secret');
  await symlink('../secret.html', join(from, 'one', 'linked.html'));
  await symlink('one/index.html', join(from, 'latest.html'));
  await expect(resolveVersions(['one'], { from, page: 'linked.html' })).rejects.toThrow(
    /linked\.html of one is hidden there, or a link that leads out of it/,
  );
  const [latest] = await resolveVersions(['latest.html'], { from });
  expect(latest?.place).toMatchObject({ folder: join(from, 'one'), page: '' });
});

test('a root above or below the page stands at the root of its server', async () => {
  const from = await pages();
  const placeOf = async (name: string, where: object): Promise<unknown> =>
    (await resolveVersions([name], { from, ...where }))[0]?.place;
  await writeFile(join(from, 'one', 'lib', 'index.html'), 'x');
  for (const [name, where, expected] of [
    ['one/index.html', { root: '.' }, { folder: from, page: 'one/' }],
    ['one/index.html', { root: 'one/lib/..' }, { folder: join(from, 'one'), page: '' }],
    ['one', { root: 'lib' }, { folder: join(from, 'one', 'lib'), page: '' }],
    ['one', { root: 'lib', page: 'index.html' }, { folder: join(from, 'one', 'lib'), page: '' }],
    ['one', { root: 'lib', page: 'lib/' }, { folder: join(from, 'one', 'lib'), page: '' }],
    ['one', { root: '..', page: 'lib/x.js' }, { folder: from, page: 'one/lib/x.js' }],
    ['one', { page: 'lib' }, { folder: join(from, 'one'), page: 'lib/' }],
    ['one', { page: '/lib/?q=1' }, { folder: join(from, 'one'), page: 'lib/?q=1' }],
  ] as const) {
    expect(await placeOf(name, where), `${name} ${JSON.stringify(where)}`).toMatchObject(expected);
  }
  for (const [name, where, says] of [
    ['old.html', { root: 'two' }, /old\.html does not lie in two/],
    ['old.html', { root: 'gone' }, /folder .*gone does not exist/],
    ['two', { root: 'lib', page: 'index.html' }, /index\.html of two does not lie in .*lib/],
    ['lit@3', { root: '.' }, /lit@3 is a version of a package/],
  ] as const) {
    await expect(placeOf(name, where), name).rejects.toThrow(says);
  }
});

test('an address of an app with routes needs no file, but its index', async () => {
  const from = await pages();
  const [one] = await resolveVersions(['one'], { from, spa: true, page: '/users/42?tab=a' });
  expect(one?.place).toMatchObject({ folder: join(from, 'one'), page: 'users/42?tab=a' });
  await expect(
    resolveVersions(['one'], { from, spa: true, root: 'lib', page: 'users/42' }),
  ).rejects.toThrow(/one\/lib has no index\.html/);
});

test('names the folder above that has what a page lacks', async () => {
  const from = await pages();
  const version = { kind: 'file', place: { kind: 'folder', folder: join(from, 'one'), page: '' } };
  const rootFor = (missing: string): string | null => rootWith(missing, version as Version, from);
  await mkdir(join(from, 'src'));
  await writeFile(join(from, 'src', 'lib.js'), '');
  expect(rootFor('src/lib.js')).toBe('.');
  expect(rootFor('src/other.js')).toBe(null);
});

test('a version that is missing, no page, or given twice is refused by name', async () => {
  const from = await pages();
  await writeFile(join(from, 'notes.txt'), 'x');
  for (const [names, says] of [
    [['old.html', 'gone.html'], /gone\.html/],
    [['one', 'one'], /one is given twice/],
    [['one/lib/x.js', 'old.html'], /x\.js is not a page/],
    [['old.html', 'notes.txt'], /notes\.txt is not a page/],
    [['x'.repeat(101)], /101 characters/],
    [['old.html', 'no-ref'], /no-ref is neither a file/],
  ] as const) {
    await expect(resolveVersions(names, { from })).rejects.toThrow(says);
  }
});

test('refuses a name with a backslash at once', async () => {
  test.skip(process.platform === 'win32', 'it parts folders there');
  const from = await pages();
  await writeFile(join(from, 'a\\b.html'), 'x');
  const asked = resolveVersions(['old.html', './a\\b.html'], { from });
  await expect(asked).rejects.toThrow(/a\\b\.html has a backslash in its name/);
});

test('tells versions from devices', async () => {
  const from = await pages();
  const isOne = (name: string): boolean => isVersion(name, from);
  expect(['one', 'gone.html', './a', 'https://example.org'].map(isOne)).toEqual(
    Array(4).fill(true),
  );
  expect(['chromium', 'firefox@b', 'node'].map(isOne)).toEqual([false, false, false]);
});

test('versions with the same bytes are named', async () => {
  const from = await pages();
  const named = async (...names: readonly string[]): Promise<readonly string[]> =>
    identicalToFirst(await resolveVersions(names, { from }));
  expect(await named('one', 'two')).toEqual(['two']);
  expect(await named('old.html', 'new.html')).toEqual([]);
  await writeFile(join(from, 'new.html'), 'old');
  expect(await named('old.html', 'new.html', 'http://127.0.0.1:1/')).toEqual(['new.html']);
  await writeFile(join(from, 'two', 'lib', 'x.js'), 'other');
  expect(await named('one', 'two')).toEqual([]);
});
