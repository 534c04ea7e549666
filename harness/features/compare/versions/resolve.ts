import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { FarmError, naming } from '../../../core/errors.ts';
import { withoutCredentials } from '../../../core/run/page-answer.ts';
import type { ExternalPlace } from '../../../core/model/case.ts';
import type { Caller } from '../../../core/app/caller.ts';
import { buildIn, checkOut } from './checkouts.ts';
import { run } from './git.ts';
import { fileOfAddress, type ServedFolder, placeOnDisk } from './on-disk.ts';
import { isPattern, listPages } from './page-list.ts';
import { keptPackagesFolder } from './kept-builds.ts';
import { fromRegistry, installPackages, servedPage } from './packages.ts';
import { readServer, type ServerOptions, withServers } from './own-servers.ts';
import { withTemporaryFolder } from '../../../core/app/temporary-folder.ts';

/** A version of a page, under the name that its user gave it. */
export interface Version {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'url';
  readonly place: ExternalPlace;
}

/** The most characters of a parameter's value. */
const longestName = 100;

interface Where extends Omit<ServedFolder, 'from' | 'within'>, ServerOptions {
  /** Where the user stands. */
  readonly from?: string;
  /** The user's command that builds each git ref and folder. */
  readonly build?: string;
  /** The submodules of a git ref are fetched, too. */
  readonly submodules?: boolean;
  /** The name under which the page imports each package; its own when left out. */
  readonly as?: string;
  /** Packages run as their developers have them. */
  readonly dev?: boolean;
  /** Where builds of git refs are kept for another time; none is when left out. */
  readonly kept?: string;
  /** As `checkOut` takes them. */
  readonly keptSince?: number;
  readonly buildDeadline?: number;
  /** Folders are built already. */
  readonly isBuilt?: boolean;
  /** Takes the commit of each git ref, and each package with its exact version. */
  readonly onExact?: (name: string, exact: string) => void;
}

/** The versions that a user names, before one of them is fetched or built. */
export interface NamedVersions {
  readonly kinds: readonly { readonly name: string; readonly kind: Kind }[];
  readonly urls: readonly Version[];
}

/**
 * Finds what kinds of versions these are, and that those on the disk are there.
 * @throws FarmError `bad-argument` for one that is not there, or that stands twice
 */
export async function nameVersions(
  names: readonly string[],
  { from = process.cwd(), ...where }: Where,
  caller: Caller,
): Promise<NamedVersions> {
  refuseNames(names);
  const kinds = await Promise.all(
    names.map(async (name) => ({ name, kind: await kindOf(name, { ...caller, from }) })),
  );
  if (isPattern(where.page)) refusePattern(where.page, kinds);
  const server = readServer(where);
  if (server !== null) refuseForServers(kinds, where);
  const [aPackage] = listOfKind(kinds, 'package');
  if (where.root !== undefined && aPackage !== undefined) throw rootOfPackage(aPackage);
  const toBuild = listFoldersToBuild(kinds, { ...where, from });
  for (const name of listOfKind(kinds, 'path')) {
    const path = resolve(from, name);
    // Which pages there are is seen once all versions are there.
    if (server !== null) requireFolder(name, path, '--server runs in');
    else if (isPattern(where.page))
      requireFolder(name, path, `--page ${where.page} names pages of`);
    else if (!toBuild.includes(name)) placeOnDisk(name, path, { ...where, from });
  }
  const urls = listOfKind(kinds, 'url').map((url) => {
    const name = withoutCredentials(url);
    return { name, kind: 'url', place: { kind: 'url', url } } as const;
  });
  return { kinds, urls };
}

/**
 * Finds the pages of versions: HTML files, folders with a page, URLs, versions of a package, or git
 * refs. The last two are put into folders, which are gone when `use` has ended.
 * @throws FarmError `bad-argument` for one that cannot be fetched or built
 */
export async function withFolders<T>(
  { kinds, urls }: NamedVersions,
  where: Where,
  { caller, use }: Using<T>,
): Promise<T> {
  const { page, from = process.cwd(), build, kept, submodules = false, as, dev = false } = where;
  const { keptSince, buildDeadline, onExact } = where;
  const server = readServer(where);
  const toBuild = listFoldersToBuild(kinds, { ...where, from });
  const usePages = async (placing: Placing): Promise<T> => {
    for (const name of toBuild) {
      await naming(name, () => buildIn(resolve(from, name), name, { ...caller, ...where }));
    }
    if (server !== null) {
      const folders = kinds.map(({ name }) => ({
        name,
        folder: placing.folders.get(name) ?? resolve(from, name),
      }));
      return withServers(folders, server, {
        caller,
        use: (versions) => use(versions, [{ page: null, versions }]),
      });
    }
    const pages = await placePages({ kinds, urls }, { ...where, from }, { ...caller, ...placing });
    return use(pages[0]?.versions ?? [], pages);
  };
  const [packages, refs] = [listOfKind(kinds, 'package'), listOfKind(kinds, 'ref')];
  // The watchdog of a temporary folder ends builds and servers, should the farm be killed.
  const isInPlace = packages.length + refs.length + toBuild.length === 0 && server === null;
  if (isInPlace) return usePages({ folders: new Map() });
  return withTemporaryFolder(async (into) => {
    const setting = {
      ...caller,
      from,
      into,
      page: page ?? 'index.html',
      submodules,
      dev,
      keptPackages: keptPackagesFolder(),
      ...(as !== undefined && { as }),
      ...(build !== undefined && { build }),
      ...(kept !== undefined && { kept }),
      ...(keptSince !== undefined && { keptSince }),
      ...(buildDeadline !== undefined && { buildDeadline }),
      ...(onExact !== undefined && { onExact }),
    };
    const installed = await installPackages(packages, setting);
    const folders = new Map([...installed, ...(await checkOut(refs, setting))]);
    return usePages({ folders, within: kept ?? into });
  });
}

interface Using<T> {
  readonly caller: Caller;
  /** Takes the versions of the first page, and each page with its versions. */
  readonly use: (versions: readonly Version[], pages: readonly VersionedPage[]) => Promise<T>;
}

/** A page in all versions. */
export interface VersionedPage {
  /** Null where it is the only one. */
  readonly page: string | null;
  readonly versions: readonly Version[];
}

interface Placing {
  /** By the name of a version that is not where the user stands. */
  readonly folders: ReadonlyMap<string, string>;
  readonly within?: string;
}

/** Finds each page in all versions, once their folders are there. */
async function placePages(
  { kinds, urls }: NamedVersions,
  { page, root, spa, from }: Where & { readonly from: string },
  { folders, within, ...caller }: Placing & Caller,
): Promise<readonly VersionedPage[]> {
  const pathOf = (name: string): string => folders.get(name) ?? resolve(from, name);
  const placeVersion = (
    { name, kind }: NamedVersions['kinds'][number],
    one: string | undefined,
  ): Version => {
    const shown = withoutCredentials(name);
    const atUrl = kind === 'url' ? urls.find((each) => each.name === shown) : undefined;
    if (atUrl !== undefined) return atUrl;
    const folder = pathOf(name);
    if (kind === 'package') {
      const place = { kind: 'folder', folder, page: servedPage, beside: [from] } as const;
      return { name, kind: 'folder', place };
    }
    const served = { page: one, root, spa, from };
    return { name, ...placeOnDisk(name, folder, kind === 'ref' ? { ...served, within } : served) };
  };
  const named = kinds.map(({ name }) => ({ name, folder: pathOf(name) }));
  const pages = isPattern(page) ? await listPages(page, named, caller) : [page];
  return Promise.all(
    pages.map(async (one) => ({
      page: pages.length > 1 && one !== undefined ? one : null,
      versions: await Promise.all(
        kinds.map((kind) => naming(kind.name, () => placeVersion(kind, one))),
      ),
    })),
  );
}

/** `nameVersions` and `withFolders` in one. */
export async function withVersions<T>(
  names: readonly string[],
  where: Where,
  using: Using<T>,
): Promise<T> {
  return withFolders(await nameVersions(names, where, using.caller), where, using);
}

/** Folders of the user's own, which are built where they lie. @throws FarmError where nothing is built */
function listFoldersToBuild(
  kinds: NamedVersions['kinds'],
  { build, isBuilt = false, from }: Where & { readonly from: string },
): readonly string[] {
  if (build === undefined || isBuilt) return [];
  const folders = listOfKind(kinds, 'path').filter((name) => isFolder(resolve(from, name)));
  if (folders.length > 0 || kinds.some(({ kind }) => kind === 'ref')) return folders;
  throw new FarmError('bad-argument', {
    what: '--build builds git refs and folders, and no version is one.',
    next: 'Leave it out, or give the folder of the file, and --page.',
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function listOfKind(kinds: NamedVersions['kinds'], wanted: Kind): readonly string[] {
  return kinds.filter(({ kind }) => kind === wanted).map(({ name }) => name);
}

/** @throws FarmError `bad-argument` for several pages of what has one */
function refusePattern(page: string, kinds: NamedVersions['kinds']): void {
  const other = kinds.find(({ kind }) => kind === 'url' || kind === 'package');
  if (other === undefined) return;
  throw new FarmError('bad-argument', {
    what: `--page ${page} names pages of folders and git refs, and ${other.name} is a ${other.kind === 'url' ? 'URL' : 'package'}.`,
    next: 'Compare it page by page.',
  });
}

/** Options about pages that the farm's own server gives. */
const ofPageServer = ['page', 'root', 'spa'] as const;

/** @throws FarmError `bad-argument` */
function refuseForServers(kinds: NamedVersions['kinds'], where: Where): void {
  const other = kinds.find(({ kind }) => kind === 'url' || kind === 'package');
  if (other !== undefined) {
    throw new FarmError('bad-argument', {
      what: `--server runs in folders and git refs, and ${other.name} is a ${other.kind === 'url' ? 'URL' : 'package'}.`,
      next: 'A page at a URL has a server already: leave --server and --url out.',
    });
  }
  const option = ofPageServer.find((name) => where[name] !== undefined && where[name] !== false);
  if (option === undefined) return;
  throw new FarmError('bad-argument', {
    what: `--${option} is about the farm's own page server, and --server starts another.`,
    next: 'Name the page in --url.',
  });
}

function requireFolder(name: string, path: string, asks: string): void {
  if (isFolder(path)) return;
  throw new FarmError('bad-argument', {
    what: `${asks} folders and git refs, and ${name} is no folder.`,
    next: 'Leave it out, or give the folder of the file.',
  });
}

function rootOfPackage(name: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${name} is a version of a package: its page is served with the folder where you stand.`,
    next: 'Leave out --root, and go to that folder; --page names the page from there.',
  });
}

function refuseNames(names: readonly string[]): void {
  const option = names.find((name) => name.startsWith('-'));
  if (option !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${option} begins with a hyphen, as options do.`,
      next: 'Give a branch of such a name as refs/heads/<name>, and a file as ./<name>.',
    });
  }
  const shown = names.map(withoutCredentials);
  const twice = shown.find((name, index) => shown.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${twice} is given twice${new Set(names).size < names.length ? '' : ', for two users: a user is no part of a name'}.`,
      next: 'Give each version once. To compare a page with itself, copy it; one at a URL has another name with another query.',
    });
  }
  const long = names.find((name) => name.length > longestName);
  if (long !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${withoutCredentials(long).slice(0, 40)}… has ${String(long.length)} characters.`,
      next: `The name of a version has at most ${String(longestName)}: go to its folder, and name it from there.`,
    });
  }
}

type Kind = 'url' | 'path' | 'package' | 'ref';

/** A tag may have a name as packages have, and its repository is meant before a stranger's package. */
async function kindOf(
  name: string,
  { from, say, signal }: Caller & { readonly from: string },
): Promise<Kind> {
  if (isUrl(name)) return 'url';
  const isThere = statSync(resolve(from, name), { throwIfNoEntry: false }) !== undefined;
  if (isThere || /^\.{0,2}[/\\]|\.html?$/i.test(name)) return 'path';
  if (name.startsWith(fromRegistry)) return 'package';
  if (!/^(@[\w.-]+\/)?[\w.-]+@[^@{]+$/.test(name)) return 'ref';
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const asked = await run('git', args, { signal, cwd: from });
  if (asked.failed) return 'package';
  say(`${name} is a git ref here; ${fromRegistry}${name} is the package of that name`);
  return 'ref';
}

/** True for an argument of `farm compare` that names a version of a page rather than a device. */
export function isVersion(name: string, from = process.cwd()): boolean {
  return isUrl(name) || /[/\\]|\.html?$/i.test(name) || isFolder(resolve(from, name));
}

/** True for an argument of `farm` itself that names a page: an HTML file, a URL, a folder with an index. */
export function isPage(name: string, from = process.cwd()): boolean {
  if (isUrl(name) || /\.html?$/i.test(name)) return true;
  const folder = resolve(from, name);
  const index = join(folder, 'index.html');
  return isFolder(folder) && statSync(index, { throwIfNoEntry: false })?.isFile() === true;
}

function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
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
  if (kind === 'file') return sha256([readFileSync(fileOfAddress(place))]);
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
