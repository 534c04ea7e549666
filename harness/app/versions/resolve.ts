import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { FarmError } from '../../errors.ts';
import type { ExternalPlace } from '../../model/case.ts';
import type { Caller } from '../caller.ts';
import { checkOut } from './checkouts.ts';
import { installPackages, servedPage } from './packages.ts';

/** A version of a page, under the name that its user gave it. */
export interface Version {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'url';
  readonly place: ExternalPlace;
}

/** A parameter's value may be so long. */
const longestName = 100;

interface Where {
  /** The page of each folder. */
  readonly page?: string;
  /** Where the user stands. */
  readonly from?: string;
  /** The user's command that builds a git ref. */
  readonly build?: string;
}

/**
 * Finds what the versions name: HTML files, folders with a page, URLs, versions of a package, or git
 * refs. The last two are put into folders, which are gone when `use` has ended.
 * @throws FarmError `bad-argument` for one that is not there, or that stands twice
 */
export async function withVersions<T>(
  names: readonly string[],
  where: Where,
  {
    caller,
    use,
  }: { readonly caller: Caller; readonly use: (versions: readonly Version[]) => Promise<T> },
): Promise<T> {
  const { page = 'index.html', from = process.cwd(), build } = where;
  refuseNames(names);
  const kinds = names.map((name) => ({ name, kind: kindOf(name, from) }));
  const named = (wanted: Kind): readonly string[] =>
    kinds.filter(({ kind }) => kind === wanted).map(({ name }) => name);
  const into = await mkdtemp(join(tmpdir(), 'crossfarm-versions-'));
  try {
    const setting = { ...caller, from, into, page, ...(build !== undefined && { build }) };
    const folders = new Map([
      ...(await installPackages(named('package'), setting)),
      ...(await checkOut(named('ref'), setting)),
    ]);
    const versions = kinds.map(({ name, kind }): Version => {
      if (kind === 'url') return { name, kind, place: { kind: 'url', url: name } };
      const path = folders.get(name) ?? resolve(from, name);
      return { name, ...placeOnDisk(path, kind === 'package' ? servedPage : page, name) };
    });
    return await use(versions);
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}

function refuseNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${twice} is given twice.`,
      next: 'Give each version once. To compare a page with itself, copy it.',
    });
  }
  const long = names.find((name) => name.length > longestName);
  if (long !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${long.slice(0, 40)}… has ${String(long.length)} characters.`,
      next: `The name of a version has at most ${String(longestName)}: go to its folder, and name it from there.`,
    });
  }
}

type Kind = 'url' | 'path' | 'package' | 'ref';

function kindOf(name: string, from: string): Kind {
  if (isUrl(name)) return 'url';
  const isThere = statSync(resolve(from, name), { throwIfNoEntry: false }) !== undefined;
  if (isThere || /^\.{0,2}[/\\]|\.html?$/i.test(name)) return 'path';
  return /^(@[\w.-]+\/)?[\w.-]+@[^@{]+$/.test(name) ? 'package' : 'ref';
}

/** Whether an argument of `farm compare` names a version of a page rather than a device. */
export function isVersion(name: string, from = process.cwd()): boolean {
  return (
    isUrl(name) ||
    /[/\\]|\.html?$/i.test(name) ||
    statSync(resolve(from, name), { throwIfNoEntry: false })?.isDirectory() === true
  );
}

function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
}

function placeOnDisk(path: string, page: string, name: string): Omit<Version, 'name'> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) {
    if (partOfPage.test(path)) throw noPage(name);
    // A page is part of an address, and names of files may hold `#` and `?`.
    const page = encodeURIComponent(basename(path));
    return { kind: 'file', place: { kind: 'folder', folder: dirname(path), page } };
  }
  if (found?.isDirectory() !== true) throw notThere(name, path);
  const [file = page] = page.split(/[?#]/);
  if (statSync(join(path, file), { throwIfNoEntry: false })?.isFile() !== true) {
    throw new FarmError('bad-argument', {
      what: `The folder ${name} has no ${file}.`,
      next: 'Say which page it is: --page <file>, from where you stand.',
    });
  }
  return { kind: 'folder', place: { kind: 'folder', folder: path, page } };
}

/** Files that a browser shows as text, if it is sent there, so that nothing is ever measured. */
const partOfPage = /\.([cm]?[jt]s|json|css|wasm)$/i;

function noPage(name: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${name} is no page: a browser would show its text.`,
    next: 'Give an HTML file that loads it, and times it with performance.measure; or its folder, and --page.',
  });
}

function notThere(name: string, path: string): FarmError {
  return new FarmError('bad-argument', {
    what: `There is no file or folder ${path}.`,
    next: `${name} must be an HTML file, a folder with a page, or a URL that begins with http:// or https://.`,
  });
}

/** Larger folders are not compared byte by byte. */
const mostFiles = 2000;

/** The names of versions on the disk that hold the same bytes as the first one. */
export function identicalToFirst(versions: readonly Version[]): readonly string[] {
  const [first, ...others] = versions.map((one) => ({ ...one, digest: digestOf(one) }));
  if (first === undefined || first.digest === null) return [];
  return others.filter(({ digest }) => digest === first.digest).map(({ name }) => name);
}

function digestOf({ kind, place }: Version): string | null {
  if (place.kind === 'url') return null;
  if (kind === 'file')
    return sha256([readFileSync(join(place.folder, decodeURIComponent(place.page)))]);
  const files = readdirSync(place.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(place.folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(/[/\\]/).includes('.git'))
    .sort();
  if (files.length > mostFiles) return null;
  return sha256(files.flatMap((file) => [file, readFileSync(join(place.folder, file))]));
}

function sha256(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
