import { realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import type { ExternalPlace } from '../../../core/model/case.ts';
import { isInside } from '../../../core/server/given-out.ts';

/** How pages on the disk are served. */
export interface ServedFolder {
  /** The page of each folder, perhaps with a query; its `index.html` when left out. */
  readonly page?: string | undefined;
  /** The folder that stands at `/`: of a file from where the user stands, else from the folder itself. */
  readonly root?: string | undefined;
  /** `index.html` is the page at every address that names no file. */
  readonly spa?: boolean | undefined;
  /** Where the user stands. */
  readonly from: string;
  /** Files that are not the user's, as those of a git ref, lead nowhere out of this folder. */
  readonly within?: string | undefined;
}

type FolderPlace = Extract<ExternalPlace, { readonly kind: 'folder' }>;

interface OnDisk {
  readonly kind: 'file' | 'folder';
  readonly place: FolderPlace;
}

const indexPage = 'index.html';

/**
 * Finds the page of a version on the disk, and the folder that stands at the root of its origin.
 * @param name as its user gave it
 * @throws FarmError `bad-argument` for a page or root that is not there, or that could not be served
 */
export function placeOnDisk(name: string, path: string, served: ServedFolder): OnDisk {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return { kind: 'file', place: placeOfFile(name, path, served) };
  if (found?.isDirectory() !== true) throw notThere(name, path);
  return { kind: 'folder', place: placeOfFolder(name, path, served) };
}

function placeOfFile(name: string, path: string, { root, from }: ServedFolder): FolderPlace {
  if (partOfPage.test(path)) throw noPage(name);
  // The files next to the file itself are served, not those next to a link to it.
  const real = realpathSync(path);
  const top = root === undefined ? dirname(real) : realpathSync(rootOf(root, from));
  if (root !== undefined && !isInside(top, real)) throw notBelow(name, root);
  return { kind: 'folder', folder: top, page: addressOf(relative(top, real)) };
}

function placeOfFolder(name: string, path: string, served: ServedFolder): FolderPlace {
  const { page = indexPage, spa = false } = served;
  const top = topOf(name, path, served);
  // An index is the root's first, a page that was named the folder's.
  const bases = served.page === undefined ? [top, path] : [path, top];
  const each = bases.map((base) => pageBelow(base, page));
  const route = page.replace(/^\/+/, '');
  const there = each.filter(({ file }) => isFile(file));
  const one = there.find(({ file }) => isBelow(top, file)) ?? there[0];
  if (one === undefined) {
    const missing = spa ? indexPage : (each[0]?.path ?? page);
    if (spa && isFile(join(top, indexPage))) return { kind: 'folder', folder: top, page: route };
    throw hasNo(missing, name, served);
  }
  requireServed(one, top, name);
  return { kind: 'folder', folder: top, page: addressOf(relative(top, one.file)) + one.query };
}

function topOf(name: string, path: string, { root, within = sep }: ServedFolder): string {
  if (root === undefined) return path;
  const top = rootOf(root, path);
  if (isBelow(realpathSync(within), realpathSync(top))) return top;
  throw new FarmError('bad-argument', {
    what: `--root ${root} leads out of the files of ${name}.`,
    next: 'Give a folder of them, from where you stand.',
  });
}

function requireServed({ path, file }: Page, top: string, name: string): void {
  if (!isBelow(top, file)) throw notBelow(`${path} of ${name}`, top);
  if (isInside(realpathSync(top), realpathSync(file))) return;
  throw new FarmError('bad-argument', {
    what: `${path} of ${name} is hidden there, or a link that leads out of it: it could not be served.`,
    next: 'Give the file itself, or put a copy there.',
  });
}

function isBelow(folder: string, file: string): boolean {
  return relative(folder, file).split(sep)[0] !== '..';
}

/** A page is part of an address, and names of files may hold `#` and `?`; servers give an index for its folder. */
function addressOf(file: string): string {
  // Browsers and servers each read one in their own way: the farm's server gives no such file.
  if (sep === '/' && file.includes('\\')) {
    throw new FarmError('bad-argument', {
      what: `${file} has a backslash in its name, which no address may have.`,
      next: 'Give it another name, or put a copy under one.',
    });
  }
  const [last = '', ...folders] = file.split(sep).toReversed();
  return [...folders.toReversed(), last === indexPage ? '' : last]
    .map(encodeURIComponent)
    .join('/');
}

/** The file at the address of a place. */
export function fileOfAddress({ folder, page }: FolderPlace): string {
  const path = decodeURIComponent(page);
  return join(folder, path === '' || path.endsWith('/') ? path + indexPage : path);
}

interface Page {
  /** As its user named it, without its query. */
  readonly path: string;
  readonly file: string;
  readonly query: string;
}

/** The longest name of a file that a page begins with: names may hold `?` and `#`, as queries do. */
function pageBelow(folder: string, page: string): Page {
  const ends = [...page.matchAll(/[?#]/g)].map(({ index }) => index);
  const each = [page.length, ...ends.toReversed()].flatMap((end) => {
    const path = page.slice(0, end);
    const query = page.slice(end);
    return [path, join(path, indexPage)].map((name) => ({ path, file: join(folder, name), query }));
  });
  const path = page.slice(0, ends[0] ?? page.length);
  return each.find(({ file }) => isFile(file)) ?? { path, file: join(folder, path), query: '' };
}

function rootOf(root: string, from: string): string {
  const path = resolve(from, root);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new FarmError('bad-argument', {
    what: `--root: the folder ${path} does not exist.`,
    next: 'It is the folder that stands at / of the page’s server: of an HTML file from where you stand, of a folder or git ref from that folder.',
  });
}

/**
 * The folder above a page's root, as `--root` takes it, that has a file which the page lacks: a page
 * of `bench/` that asks for `../src/lib.js` lies in it.
 * @returns null where none has it
 */
export function rootWith(
  missing: string,
  { kind, place }: { readonly kind: string; readonly place: ExternalPlace },
  from = process.cwd(),
): string | null {
  if (place.kind === 'url') return null;
  const base = kind === 'file' ? from : place.folder;
  let above = dirname(place.folder);
  for (let level = 0; level < mostAbove && above !== dirname(above); level += 1) {
    if (isFile(join(above, missing))) return relative(base, above) || '.';
    above = dirname(above);
  }
  return null;
}

const mostAbove = 5;

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Files that a browser shows as text, if it is sent there, so that nothing is ever measured. */
const partOfPage = /\.([cm]?[jt]sx?|json|css|wasm|txt|md|csv|log|ya?ml)$/i;

function noPage(name: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${name} is not a page: a browser would show its text.`,
    next: 'Give an HTML file that loads it, and times it with performance.measure; or its folder, and --page.',
  });
}

function hasNo(file: string, name: string, { root }: ServedFolder): FarmError {
  return new FarmError('bad-argument', {
    what: `The folder ${root === undefined ? name : join(name, root)} has no ${file}.`,
    next: 'Say which page it is: --page <file>, from where you stand.',
  });
}

function notBelow(file: string, root: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${file} does not lie in ${root}, which is to stand at / of its server.`,
    next: 'Give with --root a folder that holds the page.',
  });
}

function notThere(name: string, path: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${path} does not exist.`,
    next: `${name} must be an HTML file, a folder with a page, or a URL that begins with http:// or https://.`,
  });
}
