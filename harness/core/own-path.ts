import { randomBytes } from 'node:crypto';
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { FarmError } from './errors.ts';
import { makeFolder } from './farm-folder.ts';

/** More than any system follows in one path. */
const mostLinks = 40;

/**
 * Refuses a path to write to that goes over another user's symbolic link: a root farm in that user's
 * folder would write where the link points. Links of this user and of root are followed; on
 * Windows links have no owner. A folder whose owner exchanges it meanwhile is not met.
 * @throws FarmError `cannot-write`.
 */
export function requireOwnLinks(path: string): void {
  const link = foreignLinkIn(path);
  if (link === null) return;
  throw new FarmError('cannot-write', {
    what: `${path} is not written: ${link} is a symbolic link of another user, who could direct it anywhere.`,
    next: 'Remove the link, or name the place itself.',
  });
}

/** Makes a folder, with those above it, over no other user's link. @throws FarmError `cannot-write` */
export async function makeOwnFolder(path: string, options: { mode?: number } = {}): Promise<void> {
  requireOwnLinks(path);
  await makeFolder(path, options.mode);
}

/** The first symbolic link on a path's way that is another user's, not root's; null without one. */
export function foreignLinkIn(path: string): string | null {
  const own = process.getuid?.();
  return own === undefined ? null : findForeignLink(resolve(path), new Set([0, own]));
}

function findForeignLink(path: string, own: ReadonlySet<number>): string | null {
  let rest = splitPath(path);
  let at = parse(path).root;
  for (let links = 0; rest.length > 0;) {
    const [name = '', ...after] = rest;
    const place = join(at, name);
    const found = lookAt(place);
    // A missing folder is made later; an unreadable one cannot be written to.
    if (found === null) return null;
    rest = after;
    if (!found.isSymbolicLink()) {
      at = place;
      continue;
    }
    links += 1;
    if (!own.has(found.uid) || links > mostLinks) return place;
    const target = resolve(dirname(place), readlinkSync(place));
    rest = [...splitPath(target), ...after];
    at = parse(target).root;
  }
  return null;
}

function lookAt(place: string): Stats | null {
  try {
    return lstatSync(place);
  } catch {
    return null;
  }
}

function splitPath(path: string): readonly string[] {
  return path.split(sep).filter((part) => part !== '');
}

/**
 * Writes a file, with the folders above it, whole or not at all: a reader meanwhile, or after a
 * full disk, finds the old one. A pipe or a device is written to as it is.
 * @throws FarmError `cannot-write` for another user's link, or Error of the file system; then it
 * leaves nothing behind.
 */
export async function writeWholeFile(path: string, data: string | Uint8Array): Promise<void> {
  requireOwnLinks(path);
  await makeFolder(dirname(path));
  const there = await kindOfFile(path);
  if (there === 'special') {
    await writeFile(path, data);
    return;
  }
  // A link stays a link: what it names is replaced.
  const place = there === 'file' ? await realpath(path) : path;
  const half = `${place}.${randomBytes(4).toString('hex')}.half`;
  try {
    await writeFile(half, data, { flag: 'wx' });
    await rename(half, place);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** `special`: renaming a file over /dev/null, which root may, would take it from everybody. */
async function kindOfFile(path: string): Promise<'none' | 'file' | 'special'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'special';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none';
    throw error;
  }
}
