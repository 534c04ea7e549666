import { lstat, readlink } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { FarmError } from './errors.ts';

/** More than any system follows in one path. */
const mostLinks = 40;

/**
 * Refuses a path to write to that goes over another user's symbolic link: a root farm in that user's
 * folder would write where the link points. Links of this user and of root are followed; on
 * Windows links have no owner. A folder whose owner exchanges it meanwhile is not met.
 * @throws FarmError `cannot-write`.
 */
export async function requireOwnLinks(path: string): Promise<void> {
  const own = process.getuid?.();
  if (own === undefined) return;
  const link = await findForeignLink(resolve(path), new Set([0, own]));
  if (link === null) return;
  throw new FarmError('cannot-write', {
    what: `${path} is not written: ${link} is a symbolic link of another user, who could direct it anywhere.`,
    next: 'Remove the link, or name the place itself.',
  });
}

async function findForeignLink(path: string, own: ReadonlySet<number>): Promise<string | null> {
  let rest = partsOf(path);
  let at = parse(path).root;
  for (let links = 0; rest.length > 0;) {
    const [name = '', ...after] = rest;
    const place = join(at, name);
    const found = await lstat(place).catch(() => null);
    // What is not there is made, and what cannot be looked at cannot be written to.
    if (found === null) return null;
    rest = after;
    if (!found.isSymbolicLink()) {
      at = place;
      continue;
    }
    links += 1;
    if (!own.has(found.uid) || links > mostLinks) return place;
    const target = resolve(dirname(place), await readlink(place));
    rest = [...partsOf(target), ...after];
    at = parse(target).root;
  }
  return null;
}

function partsOf(path: string): readonly string[] {
  return path.split(sep).filter((part) => part !== '');
}
