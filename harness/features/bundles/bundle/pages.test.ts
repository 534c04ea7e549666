import { test, expect } from '@playwright/test';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aFolder } from '../../../testing/folder.ts';
import { writePages } from '../../../testing/bundle-example.ts';
import { collectPages, differencesOfPages, isPageOf } from './pages.ts';

test('finds no difference between the same files in two folders', async () => {
  const here = await collectPages(await writePages(await aFolder()), ['fib']);
  const there = await collectPages(await writePages(await aFolder()), ['fib', 'fib']);
  expect(differencesOfPages(there, here)).toEqual([]);
});

test('names every difference, except in declarations, which are not served', async () => {
  const there = await collectPages(await writePages(await aFolder()), ['fib']);
  const pages = await writePages(await aFolder());
  await writeFile(join(pages, 'fib', 'index.html'), 'changed');
  await writeFile(join(pages, 'kit', 'new.js'), '');
  await writeFile(join(pages, 'protocol.d.ts'), 'changed');
  const here = (await collectPages(pages, ['fib'])).filter(
    ({ path }) => path !== 'fib/wasm/code.wasm',
  );
  expect(differencesOfPages(there, here)).toEqual([
    'fib/index.html is another',
    'fib/wasm/code.wasm is not here',
    'kit/new.js is only here',
  ]);
});

test('a package that a page imports goes along with its licence, and no other', async () => {
  const pages = await writePages(await aFolder());
  for (const name of ['used', 'unused']) {
    await mkdir(join(pages, 'vendor', name), { recursive: true });
    for (const file of ['code.js', 'LICENSE'])
      await writeFile(join(pages, 'vendor', name, file), '');
  }
  await writeFile(join(pages, 'fib', 'more.js'), `import '../vendor/used/code.js';`);
  const paths = (await collectPages(pages, ['fib'])).map(({ path }) => path);
  const vendored = paths.filter((path) => path.startsWith('vendor/'));
  expect(vendored).toEqual(['vendor/used/LICENSE', 'vendor/used/code.js']);
  expect(paths).toEqual(paths.toSorted());
  for (const path of vendored) expect(isPageOf(path, ['fib'])).toBe(true);
  expect(isPageOf('vendor/code.js', ['fib'])).toBe(false);
});

test('does not accept a link as a page', async () => {
  const pages = await writePages(await aFolder());
  await symlink('/etc/passwd', join(pages, 'fib', 'secret.js'));
  const paths = (await collectPages(pages, ['fib'])).map(({ path }) => path);
  expect(paths).not.toContain('fib/secret.js');
});

test('only files of the page are collected', async () => {
  const files = await collectPages(await writePages(await aFolder()), ['fib']);
  for (const { path } of files) expect(isPageOf(path, ['fib']), path).toBe(true);
  for (const path of ['fib', 'kit', 'suites/quick.json', 'x.js', 'fib/a.test.ts', 'fib/b.md']) {
    expect(isPageOf(path, ['fib']), path).toBe(false);
  }
});

test('external pages cannot go into a bundle, and the message says so', async () => {
  await expect(collectPages(await aFolder(), ['speedometer'])).rejects.toMatchObject({
    code: 'bad-benchmark',
    message: expect.stringMatching(/speedometer is not there.*not ours/),
  });
});
