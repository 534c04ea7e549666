import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, join, posix, resolve } from 'node:path';
import { exports as resolveExports } from 'resolve.exports';
import { z } from 'zod';
import { FarmError } from '../../../core/errors.ts';
import { withAtHead } from '../../../core/server/adapter.ts';
import type { Caller } from '../../../core/app/caller.ts';
import { run } from './git.ts';
import { withKeptBuild } from './kept-builds.ts';

interface Setting extends Caller {
  /** The folder where the user stands. */
  readonly from: string;
  /** An empty folder. */
  readonly into: string;
  /** The page that imports the package, as a path from where the user stands. */
  readonly page: string;
  /** The name under which the page imports each package; its own when left out. */
  readonly as?: string;
  /** Packages run as their developers have them. */
  readonly dev?: boolean;
  /** Where installs from the registry are kept for another time. */
  readonly keptPackages?: string;
  /** Takes each package with the version that its name stands for. */
  readonly onExact?: (name: string, exact: string) => void;
}

/** Before a name that could be that of a git ref. */
export const fromRegistry = 'npm:';

/** The page as it is served: it lies at the top, next to the user's files. */
export const servedPage = 'crossfarm-page.html';

/**
 * Installs versions of a package, each into a folder that is served together with the user's files,
 * and gives each copy of the page what it imports: bundles of its module scripts, or an import map
 * where a browser can run all versions as they were installed.
 * @param names such as `lit@3`, `@scope/name@1.2.3` or `npm:lit@3`
 * @returns for each name its folder, which holds `servedPage`
 * @throws FarmError `bad-argument` for a version that cannot be installed or bundled, or a page that
 *   is not there
 */
export async function installPackages(
  names: readonly string[],
  setting: Setting,
): Promise<ReadonlyMap<string, string>> {
  const { from, into, page, dev = false } = setting;
  if (names.length === 0) return new Map();
  const html = await readPage(resolve(from, page), page);
  const { bundlePage } = await import('./bundle.ts');
  const each = [];
  for (const [index, name] of names.entries()) {
    const folder = join(await realpath(into), `package-${String(index)}`);
    await mkdir(folder);
    const exact = await install(name.replace(fromRegistry, ''), folder, setting);
    if (exact !== null) setting.onExact?.(name, fromRegistry + exact);
    const bundle = await bundlePage({ html, page, from: await realpath(from), folder, name, dev });
    each.push({ name, folder, bundle });
  }
  // Bundled and not, two versions would differ by that.
  const isBundled = dev || each.some(({ bundle }) => bundle.isNeeded);
  const base = posix.dirname(page.replaceAll('\\', '/'));
  for (const { folder, bundle } of each) {
    if (isBundled) await bundle.write();
    const served = isBundled
      ? withBase(bundle.html, base)
      : withImportMap(html, await importMapOf(folder, base), base);
    await writeFile(join(folder, servedPage), served);
  }
  return new Map(each.map(({ name, folder }) => [name, folder]));
}

async function readPage(path: string, page: string): Promise<string> {
  const html = await readFile(path, 'utf8').catch(() => null);
  if (html !== null) return html;
  throw new FarmError('bad-argument', {
    what: `There is no ${path}.`,
    next: `Say which page imports the package: --page <file>, instead of ${basename(page)}.`,
  });
}

/**
 * @param named the package with its version, a folder or an address: `lit@3`, `lit@file:../lit`
 * @returns the package with its exact version; null for one that is not of the registry
 */
async function install(named: string, folder: string, setting: Setting): Promise<string | null> {
  const { say, keptPackages: kept, from, as } = setting;
  const at = named.indexOf('@', 1);
  const [plainName, version] = [named.slice(0, at), named.slice(at + 1)];
  const isOfRegistry = !/[:/]/.test(version);
  if (!isOfRegistry || kept === undefined) {
    say(`npm installs ${named}`);
    // A folder is named from where the user stands.
    const place = version.replace(/(?<=^file:).*$/, (path) => resolve(from, path));
    await runInstall(`${plainName}@${place}`, folder, setting);
    return null;
  }
  const exact = `${plainName}@${await resolveVersion(plainName, version, setting)}`;
  const registry = process.env['npm_config_registry'] ?? '';
  const how = createHash('sha256').update(JSON.stringify([exact, as, registry, process.version]));
  const installed = await withKeptBuild(how.digest('hex').slice(0, 40), {
    kept,
    make: (empty) => {
      say(`npm installs ${exact}`);
      return runInstall(exact, empty, setting);
    },
  });
  await cp(installed, folder, { recursive: true });
  return exact;
}

/** The newest version in a range, or that of a tag; an exact one needs no registry. */
async function resolveVersion(name: string, wanted: string, setting: Setting): Promise<string> {
  if (/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(wanted)) return wanted;
  const where = { signal: setting.signal, cwd: setting.from };
  const args = ['view', '--json', '--', `${name}@${wanted}`, 'version'];
  const asked = await run('npm', args, where);
  const parsed = asked.failed ? null : jsonVersions.safeParse(parseJson(asked.output));
  const versions = parsed?.success === true ? [parsed.data].flat() : [];
  const released = versions.filter((version) => !version.includes('-'));
  const inOrder = (released.length > 0 ? released : versions).toSorted(byNumbers.compare);
  const newest = inOrder.at(-1);
  if (newest !== undefined) return newest;
  const [, summary = asked.output] = /"summary": "(.*)"/.exec(asked.output) ?? [];
  throw notInstalled(`${name}@${wanted}`, name, summary);
}

/** npm lists 4.9.0 after 4.17.0. */
const byNumbers = new Intl.Collator('en', { numeric: true });

const jsonVersions = z.union([z.string(), z.array(z.string())]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function runInstall(named: string, folder: string, setting: Setting): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--no-package-lock', '--ignore-scripts'];
  // A link to a folder would lead out of what is served.
  const copied = '--install-links';
  const at = named.indexOf('@', 1);
  const [plainName, version] = [named.slice(0, at), named.slice(at + 1)];
  const { as = plainName } = setting;
  const source = /[:/]/.test(version) ? version : `npm:${named}`;
  const wanted = as === plainName ? named : `${as}@${source}`;
  const where = { signal: setting.signal, cwd: folder };
  const installed = await run('npm', ['install', ...quiet, copied, '--', wanted], where);
  // npm links to a folder that is not there.
  const json = await readPackage(join(folder, 'node_modules', as, 'package.json'));
  if (installed.failed || json === null) throw notInstalled(named, plainName, installed.output);
}

function notInstalled(named: string, plainName: string, output: string): FarmError {
  return new FarmError('bad-argument', {
    what: `npm cannot install ${named}: ${output.split('\n').slice(-8).join('\n')}`,
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
  return withBase(html, base, `<script type="importmap">${json}</script>`);
}

function withBase(html: string, base: string, more = ''): string {
  const baseElement = base === '.' ? '' : `<base href="${encodeURI(base)}/">`;
  return withAtHead(html, baseElement + more);
}
