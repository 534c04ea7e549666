import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/** A file as it really lies, below `root` at `path`, or a folder; null where there is neither. */
export type GivenOut =
  | { readonly kind: 'file'; readonly root: string; readonly path: string }
  | { readonly kind: 'folder' }
  | null;

/**
 * Returns what a path of a page's folder names, if strangers may have it: a regular file that really
 * lies in the folder, or a folder there. The folder may come from a stranger, as a git ref does, and
 * its links may point anywhere: none is followed out of it. Nothing hidden is given out.
 * Looks at once and does not wait: each turn of a page's request in a queue is a part of its load.
 * @param folders the first one that has an entry of the path's first name counts
 */
export function givenOut(folders: readonly string[], path: string): GivenOut {
  if (isHidden(path)) return null;
  const [first = ''] = path.split('/').filter((part) => part !== '' && part !== '.');
  for (const folder of folders) {
    if (realPathOf(join(folder, first)) === null) continue;
    const [root, real] = [realPathOf(folder), realPathOf(join(folder, path))];
    if (root === null || real === null || !isInside(root, real)) return null;
    const found = statSync(real, { throwIfNoEntry: false });
    if (found?.isFile() === true) return { kind: 'file', root, path: relative(root, real) };
    return found?.isDirectory() === true ? { kind: 'folder' } : null;
  }
  return null;
}

/** Null without a file, for a link that leads nowhere, or for an invalid path. */
function realPathOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** True if a path lies in a folder, without hidden folders on the way from there. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..' && !isHidden(way);
}

/** Nothing of a git repository, an editor or a farm is part of a page. */
function isHidden(path: string): boolean {
  return path.split(/[/\\]/).some((part) => part.startsWith('.') && part !== '.');
}
