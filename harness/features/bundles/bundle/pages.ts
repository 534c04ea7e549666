import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import type { PageFile } from './format.ts';
import { isSafePath } from './archive.ts';

/** Files that every page shares, and the declaration of their protocol. */
const sharedFolder = 'kit';
const protocolFile = 'protocol.d.ts';

/** Packages next to the pages. A package is included if a page imports it. */
const vendorFolder = 'vendor';
const vendorImport = /\.\.\/vendor\/([A-Za-z0-9-]+)\//g;

/** Files in the folders of pages that no page needs. */
const beside = /^\.|\.(?:test|e2e)\.ts$|\.md$|^tsconfig\.json$|^node_modules$/;

/**
 * The files that the pages of these benchmarks are made of, in one order everywhere: each
 * benchmark's folder, the kit, the packages that they import, and the protocol. Links are left out.
 * @throws FarmError `bad-benchmark` for a file whose name could not be unpacked everywhere, or pages that
 * are not there, such as those of a guest.
 */
export async function collectPages(
  pages: string,
  benchmarks: readonly string[],
): Promise<readonly PageFile[]> {
  requireFolders(pages, benchmarks);
  const own = await readFolders(pages, [...new Set([...benchmarks, sharedFolder])]);
  const vendored = await readFolders(pages, importedPackages(own));
  const all = [...own, ...vendored, await readPage(pages, protocolFile)];
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function requireFolders(pages: string, benchmarks: readonly string[]): void {
  const absent = benchmarks.find((id) => !existsSync(join(pages, id)));
  if (absent === undefined) return;
  throw new FarmError('bad-benchmark', {
    what: `A bundle holds the pages that were measured, and ${join(pages, absent)} is not there: its pages are not ours, or are gone.`,
    next: 'Leave --bundle out.',
  });
}

async function readFolders(pages: string, folders: readonly string[]): Promise<PageFile[]> {
  const listed = await Promise.all(folders.map((folder) => listFiles(pages, folder)));
  return Promise.all(listed.flat().map((path) => readPage(pages, path)));
}

function importedPackages(files: readonly PageFile[]): readonly string[] {
  const scripts = files.filter(({ path }) => path.endsWith('.js'));
  const names = scripts.flatMap(({ bytes }) =>
    Array.from(Buffer.from(bytes).toString().matchAll(vendorImport), ([, name = '']) => name),
  );
  return [...new Set(names)].map((name) => `${vendorFolder}/${name}`);
}

async function listFiles(pages: string, folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(pages, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !beside.test(name));
  const files = kept.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
  const below = kept.filter((entry) => entry.isDirectory());
  const deeper = await Promise.all(below.map(({ name }) => listFiles(pages, `${folder}/${name}`)));
  return [...files, ...deeper.flat()];
}

async function readPage(pages: string, path: string): Promise<PageFile> {
  if (!isSafePath(path)) {
    throw new FarmError('bad-benchmark', {
      what: `The page file ${join(pages, path)} cannot go into a bundle: its name would not do on every system.`,
      next: 'Use letters, digits, ".", "_" and "-" in file names below pages/.',
    });
  }
  const bytes = await readFile(join(pages, path));
  return { path, bytes, sha256: sha256(bytes) };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Says if `collectPages` could have given this path for these benchmarks. */
export function isPageOf(path: string, benchmarks: readonly string[]): boolean {
  if (path === protocolFile) return true;
  const [folder = '', ...rest] = path.split('/');
  const isKnown =
    folder === sharedFolder ||
    benchmarks.includes(folder) ||
    (folder === vendorFolder && rest.length > 1);
  return isKnown && rest.length > 0 && !rest.some((one) => beside.test(one));
}

/**
 * How two sets of page files differ, as sentences such as `fib/benchmark.js is another`. A
 * declaration of types (`.d.ts`) is not served, so it makes no difference.
 */
export function differencesOfPages(
  bundle: readonly PageFile[],
  here: readonly PageFile[],
): readonly string[] {
  const theirs = hashes(bundle);
  const ours = hashes(here);
  const paths = [...new Set([...theirs.keys(), ...ours.keys()])].sort();
  return paths.flatMap((path) => {
    if (theirs.get(path) === ours.get(path)) return [];
    if (!ours.has(path)) return [`${path} is not here`];
    return [theirs.has(path) ? `${path} is another` : `${path} is only here`];
  });
}

function hashes(files: readonly PageFile[]): ReadonlyMap<string, string> {
  return new Map(
    files
      .filter(({ path }) => !path.endsWith('.d.ts'))
      .map(({ path, sha256: hash }) => [path, hash]),
  );
}
