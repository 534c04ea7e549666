import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../../testing/folder.ts';
import { entriesOf, withImportMap } from './packages.ts';
import { withVersions } from './resolve.ts';

const caller = { signal: new AbortController().signal, say: () => undefined };

test('a package’s entries are those that a browser may import', () => {
  expect(entriesOf({ main: 'lib/a.cjs', module: 'lib/a.js' })).toEqual([
    ['.', 'lib/a.js'],
    ['./', './'],
  ]);
  expect(entriesOf({ exports: './a.js' })).toEqual([['.', './a.js']]);
  expect(
    entriesOf({
      exports: {
        '.': { types: './a.d.ts', node: './node.js', development: './dev.js', default: './a.js' },
        './part': { browser: './part.browser.js', default: './part.js' },
        './icons/*': './dist/icons/*',
        './*.js': './dist/*.js',
        './tool': { node: './tool.js' },
      },
    }),
  ).toEqual([
    ['.', './a.js'],
    ['./part', './part.browser.js'],
    ['./icons/', './dist/icons/'],
  ]);
});

test('the import map stands before the page’s first script, and ends no script', () => {
  const map = { imports: { 'a</script>': './a.js' }, scopes: {} };
  const html = withImportMap('<!doctype html><html><head lang=x><script>1</script>', map, 'bench');
  expect(html).toMatch(
    /^<!doctype html><html><head lang=x><base href="bench\/"><script type="importmap">/,
  );
  expect(html.match(/<\/script>/g)).toHaveLength(2);
  expect(withImportMap('<!doctype html><p>', map, '.')).toMatch(
    /^<!doctype html><script type="importmap">/,
  );
});

test('installs versions of a package next to the page with import maps', async () => {
  const folder = await aFolder();
  for (const [name, needs] of [
    ['old', {}],
    ['new', {}],
  ] as const) {
    await mkdir(join(folder, 'packages', name), { recursive: true });
    const json = { name: 'part', version: '1.0.0', exports: `./${name}.js`, dependencies: needs };
    await writeFile(join(folder, 'packages', name, 'package.json'), JSON.stringify(json));
    await writeFile(join(folder, 'packages', name, `${name}.js`), `export default '${name}'`);
  }
  await mkdir(join(folder, 'bench'));
  await writeFile(join(folder, 'bench', 'page.html'), '<script type=module>import "part"</script>');
  const names = ['part@file:packages/old', 'part@file:packages/new'];
  const seen = await withVersions(
    names,
    { from: folder, page: 'bench/page.html' },
    {
      caller,
      use: (versions) =>
        Promise.all(
          versions.map(async ({ place }) => {
            if (place.kind === 'url') throw new Error('no URL');
            const html = await readFile(join(place.folder, place.page), 'utf8');
            const [, json = '{}'] = /importmap">(.*?)<\/script>/.exec(html) ?? [];
            const target = (JSON.parse(json) as { imports: Record<string, string> }).imports[
              'part'
            ];
            return {
              target,
              code: await readFile(join(place.folder, 'bench', target ?? ''), 'utf8'),
              beside: place.beside,
            };
          }),
        ),
    },
  );
  expect(seen).toEqual(
    ['old', 'new'].map((name) => ({
      target: `../node_modules/part/${name}.js`,
      code: `export default '${name}'`,
      beside: [folder],
    })),
  );
});

test('a version that npm cannot install is refused with what npm said', async () => {
  const folder = await aFolder();
  await writeFile(join(folder, 'page.html'), 'x');
  const names = ['part@file:nowhere', 'part@file:nowhere-else'];
  const where = { from: folder, page: 'page.html' };
  await expect(
    withVersions(names, where, { caller, use: () => Promise.resolve() }),
  ).rejects.toThrow(/npm cannot install part@file/);
});
