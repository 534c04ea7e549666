import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { aFolder, aFolderOf } from '../../../testing/folder.ts';
import { entriesOf, installPackages, servedPage, withImportMap } from './packages.ts';
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

/** A folder with packages `one` and `two`, and a page that imports. */
async function somePackages(
  files: Readonly<Record<string, string>>,
  script: string,
): Promise<string> {
  return aFolderOf({
    ...Object.fromEntries(
      ['one', 'two'].map((name) => [
        `${name}/package.json`,
        JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
      ]),
    ),
    ...files,
    'page.html': `<!doctype html>\n<script type="module">${script}</script>`,
  });
}

const mapOrBundle = /importmap|src="crossfarm-script-0\.js"/;

/** What a browser gets of each version: its page’s import map or bundle, and what its script does. */
async function serveEach(
  from: string,
  more: Readonly<{ dev?: boolean; as?: string }> = {},
): Promise<readonly (readonly [string | undefined, unknown])[]> {
  const names = ['one@file:one', 'two@file:two'];
  const into = await aFolder();
  const setting = { ...caller, ...more, from, into, page: 'page.html' };
  const folders = await installPackages(names, setting);
  const served: (readonly [string | undefined, unknown])[] = [];
  for (const folder of folders.values()) {
    const [kind] = mapOrBundle.exec(await readFile(join(folder, servedPage), 'utf8')) ?? [];
    served.push([kind, kind === 'importmap' ? null : await answerOf(folder)]);
  }
  return served;
}

/** What the bundle sets; its address is a new one each time, so that it runs again. */
async function answerOf(folder: string): Promise<unknown> {
  const code = await readFile(join(folder, 'crossfarm-script-0.js'), 'utf8');
  await import(`data:text/javascript,${encodeURIComponent(`${code}//${folder}`)}`);
  return (globalThis as { answer?: unknown }).answer;
}

const whichBuild = `exports.which = process.env.NODE_ENV === 'production' ? 'users' : 'developers';`;
const bundled = 'src="crossfarm-script-0.js"';

test('CommonJS is bundled for production, and then both versions are', async () => {
  const script = `import { which } from 'lib'; import data from './data.json'; globalThis.answer = which + data.n;`;
  const files = {
    'one/index.js': whichBuild,
    'two/index.js': `export const which = 'module';`,
    'data.json': '{ "n": 1 }',
  };
  const folder = await somePackages(files, script);
  expect(await serveEach(folder, { as: 'lib' })).toEqual([
    [bundled, 'users1'],
    [bundled, 'module1'],
  ]);
  expect(await serveEach(folder, { as: 'lib', dev: true })).toEqual([
    [bundled, 'developers1'],
    [bundled, 'module1'],
  ]);
});

test('modules that a browser can import as they are get an import map', async () => {
  const module = `export const which = 'module';`;
  const folder = await somePackages(
    { 'one/index.js': module, 'two/index.js': module },
    `import { which } from 'lib';`,
  );
  const served = await serveEach(folder, { as: 'lib' });
  expect(served.map(([kind]) => kind)).toEqual(['importmap', 'importmap']);
});

test('an import that leads to nothing is refused with its file and line', async () => {
  const files = { 'one/index.js': 'exports.a = 1', 'two/index.js': 'exports.a = 1' };
  const folder = await somePackages(files, `\nimport 'one';\nimport 'not-there';`);
  await expect(serveEach(folder)).rejects.toThrow(
    /one@file:one cannot be bundled with the page: page\.html:4: .*"not-there"/,
  );
});

test('a package may not take files of the user into a page', async () => {
  const files = { 'one/index.js': `module.exports = require('../../../secret.json')` };
  const folder = await somePackages(files, `import 'one'`);
  const into = join(folder, 'into');
  await mkdir(into);
  await writeFile(join(into, 'secret.json'), '{}');
  const setting = { ...caller, from: folder, into, page: 'page.html' };
  await expect(installPackages(['one@file:one'], setting)).rejects.toThrow(
    /index\.js imports \.\.\/\.\.\/\.\.\/secret\.json, which leads out/,
  );
});

test('an install from the registry is kept: a range takes its newest, and another run needs no registry', async () => {
  const folder = await somePackages({ 'one/index.js': 'export default 1' }, `import 'one'`);
  const packed = await execa('npm', ['pack', '--silent'], { cwd: join(folder, 'one') });
  const tarball = await readFile(join(folder, 'one', packed.stdout.trim()));
  const registry = createServer(({ url = '' }, response) => {
    const at = `http://${String(response.req.headers.host)}/file.tgz`;
    const versions = ['1.9.0', '1.10.0'].map((version) => [
      version,
      { name: 'one', version, main: 'index.js', dist: { tarball: at } },
    ]);
    const json = {
      name: 'one',
      'dist-tags': { latest: '1.10.0' },
      versions: Object.fromEntries(versions) as unknown,
    };
    response.end(url.endsWith('.tgz') ? tarball : JSON.stringify(json));
  });
  await once(registry.listen(0, '127.0.0.1'), 'listening');
  const said: string[] = [];
  const install = async (name: string): Promise<unknown> =>
    installPackages([name], {
      signal: caller.signal,
      say: (text) => said.push(text),
      from: folder,
      into: await aFolder(),
      page: 'page.html',
      keptPackages: join(folder, 'kept'),
    });
  const before = process.env['npm_config_registry'];
  try {
    const { port } = registry.address() as AddressInfo;
    process.env['npm_config_registry'] = `http://127.0.0.1:${String(port)}/`;
    await install('one@1');
    registry.close();
    registry.closeAllConnections();
    await install('one@1.10.0');
  } finally {
    if (before === undefined) delete process.env['npm_config_registry'];
    else process.env['npm_config_registry'] = before;
  }
  expect(said).toEqual(['npm installs one@1.10.0']);
});
