import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { exports as resolveExports } from 'resolve.exports';
import { z } from 'zod';
import { FarmError } from '../../../core/errors.ts';
import { withAtHead } from '../../../core/server/adapter.ts';
import type { Caller } from '../../../core/app/caller.ts';
import { run } from './git.ts';

interface Setting extends Caller {
  /** The folder where the user stands. */
  readonly from: string;
  /** An empty folder. */
  readonly into: string;
  /** The page that imports the package, as a path from where the user stands. */
  readonly page: string;
}

/** Before a name that could be that of a git ref. */
export const fromRegistry = 'npm:';

/** The page as it is served: it lies at the top, next to the user's files. */
export const servedPage = 'crossfarm-page.html';

/**
 * Installs versions of a package, each into a folder that is served together with the user's files,
 * and gives each copy of the page an import map of what was installed.
 * @param names such as `lit@3`, `@scope/name@1.2.3` or `npm:lit@3`
 * @returns for each name its folder, which holds `servedPage`
 * @throws FarmError `bad-argument` for a version that cannot be installed, or a page that is not
 *   there
 */
export async function installPackages(
  names: readonly string[],
  setting: Setting,
): Promise<ReadonlyMap<string, string>> {
  const { from, into, page, say } = setting;
  const folders = new Map<string, string>();
  if (names.length === 0) return folders;
  const html = await readPage(resolve(from, page), page);
  for (const [index, name] of names.entries()) {
    const folder = join(into, `package-${String(index)}`);
    await mkdir(folder);
    say(`npm installs ${name}`);
    await install(name.replace(fromRegistry, ''), folder, setting);
    const base = posix.dirname(page.replaceAll('\\', '/'));
    await writeFile(
      join(folder, servedPage),
      withImportMap(html, await importMapOf(folder, base), base),
    );
    folders.set(name, folder);
  }
  return folders;
}

async function readPage(path: string, page: string): Promise<string> {
  const html = await readFile(path, 'utf8').catch(() => null);
  if (html !== null) return html;
  throw new FarmError('bad-argument', {
    what: `There is no ${path}.`,
    next: `Say which page imports the package: --page <file>, instead of ${basename(page)}.`,
  });
}

async function install(name: string, folder: string, setting: Setting): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--no-package-lock', '--ignore-scripts'];
  // A link to a folder would lead out of what is served.
  const copied = '--install-links';
  const where = { signal: setting.signal, cwd: folder };
  // A folder is named from where the user stands.
  const wanted = name.replace(/(?<=@file:).*$/, (path) => resolve(setting.from, path));
  const installed = await run('npm', ['install', ...quiet, copied, '--', wanted], where);
  const plainName = name.slice(0, name.indexOf('@', 1));
  // npm links to a folder that is not there.
  const json = await readPackage(join(folder, 'node_modules', plainName, 'package.json'));
  if (!installed.failed && json !== null) return;
  throw new FarmError('bad-argument', {
    what: `npm cannot install ${name}: ${installed.output.split('\n').slice(-8).join('\n')}`,
    next: `npm view ${plainName} versions lists what there is.`,
  });
}

// ---------------------------------------------------------------- import map

type Imports = Readonly<Record<string, string>>;

interface ImportMap {
  readonly imports: Imports;
  /** Of packages that are nested, because another needs another version of them. */
  readonly scopes: Readonly<Record<string, Imports>>;
}

const packageJson = z.looseObject({
  name: z.string().optional(),
  exports: z.unknown().optional(),
  module: z.string().optional(),
  main: z.string().optional(),
});
type PackageJson = z.infer<typeof packageJson>;

/** @param base the folder of the page, from the one that is served: an import map is relative to it */
async function importMapOf(folder: string, base: string): Promise<ImportMap> {
  const urlOf = (path: string): string => {
    const url = posix.relative(base, path) + (path.endsWith('/') ? '/' : '');
    return url.startsWith('.') ? url : `./${url}`;
  };
  const scopes: Record<string, Imports> = {};
  const importsOf = async (within: string): Promise<Imports> => {
    const imports: Record<string, string> = {};
    for (const name of await packagesIn(join(folder, within, 'node_modules'))) {
      const path = posix.join(within, 'node_modules', name);
      const json = await readPackage(join(folder, path, 'package.json'));
      if (json === null) continue;
      for (const [entry, target] of entriesOf(json)) {
        imports[`${name}${entry.slice(1)}`] = urlOf(posix.join(path, target));
      }
      const nested = await importsOf(path);
      if (Object.keys(nested).length > 0) scopes[urlOf(`${path}/`)] = nested;
    }
    return imports;
  };
  return { imports: await importsOf('.'), scopes };
}

async function packagesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const each = await Promise.all(
    names.map(async (name) => {
      if (name.startsWith('.')) return [];
      if (!name.startsWith('@')) return [name];
      return (await readdir(join(folder, name))).map((inner) => `${name}/${inner}`);
    }),
  );
  return each.flat();
}

async function readPackage(path: string): Promise<PackageJson | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  const parsed = packageJson.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : null;
}

/** Lists the entries of a package with their files: `.`, `./sub`, and `./folder/` for all below it. */
export function entriesOf(json: PackageJson): readonly (readonly [string, string])[] {
  const { exports: declared, module, main } = json;
  if (declared === undefined || declared === null) {
    return [
      ['.', module ?? main ?? 'index.js'],
      ['./', './'],
    ];
  }
  const isMap = typeof declared === 'object' && Object.keys(declared).some(isEntry);
  const entries = isMap ? Object.keys(declared).filter(isEntry) : ['.'];
  return entries.flatMap((entry) => {
    const target = targetOf(json, entry);
    if (target === undefined) return [];
    if (!entry.includes('*')) return [[entry, target] as const];
    // A pattern is a prefix where both sides end with the star.
    if (!entry.endsWith('*') || !target.endsWith('*')) return [];
    return [[entry.slice(0, -1), target.slice(0, -1)] as const];
  });
}

function isEntry(key: string): boolean {
  return key.startsWith('.');
}

function targetOf(json: PackageJson, entry: string): string | undefined {
  try {
    return resolveExports({ name: 'package', ...json }, entry, { browser: true })?.[0];
  } catch {
    // It holds nothing for browsers.
    return undefined;
  }
}

/** The page, which now lies above its folder `base`, with an import map before its own first script. */
export function withImportMap(html: string, map: ImportMap, base: string): string {
  const json = JSON.stringify(map).replaceAll('<', '\\u003c');
  const baseElement = base === '.' ? '' : `<base href="${encodeURI(base)}/">`;
  return withAtHead(html, `${baseElement}<script type="importmap">${json}</script>`);
}
