import { statSync } from 'node:fs';
import { join } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import type { Caller } from '../../../core/app/caller.ts';

/** Pages of one comparison at most: each is loaded in every block. */
const mostPages = 50;

/** The most characters of a page's name, which is the value of a parameter. */
const longestPage = 100;

/** A version whose pages lie below a folder. */
export interface PageFolder {
  readonly name: string;
  readonly folder: string;
}

/** True if `--page` names several pages, such as `bench/*.html`. */
export function isPattern(page: string | undefined): page is string {
  return page?.includes('*') === true;
}

/**
 * Lists the pages that a pattern names in every version, in the order of their names. What only some
 * versions have is said, and left out.
 * @throws FarmError `bad-argument` where that is none, or too many
 */
export async function listPages(
  page: string,
  versions: readonly PageFolder[],
  { say }: Pick<Caller, 'say'>,
): Promise<readonly string[]> {
  const [, pattern = page, query = ''] = /^([^?#]*)([?#].*)?$/s.exec(page) ?? [];
  if (/^[/\\]|(^|[/\\])\.\.([/\\]|$)/.test(pattern)) {
    throw new FarmError('bad-argument', {
      what: `--page ${page} leads out of the folder of a version.`,
      next: 'Name pages below it. For files above a page: --root <folder>.',
    });
  }
  const each = await Promise.all(
    versions.map(async ({ name, folder }) => ({
      name,
      pages: new Set(await findPages(folder, page, pattern)),
    })),
  );
  const all = [...new Set(each.flatMap(({ pages }) => [...pages]))].sort();
  const shared = all.filter((one) => each.every(({ pages }) => pages.has(one)));
  for (const one of all) {
    const having = each.filter(({ pages }) => pages.has(one)).map(({ name }) => name);
    if (having.length < each.length) {
      say(`${one} is only in ${having.join(' and ')}, so it is not compared`);
    }
  }
  if (shared.length === 0) throw noneShared(page, all);
  if (shared.length > mostPages) {
    throw new FarmError('bad-argument', {
      what: `--page ${page} names ${String(shared.length)} pages, and ${String(mostPages)} are compared at most.`,
      next: 'Name fewer: each page is loaded in every block.',
    });
  }
  const long = shared.find((one) => one.length + query.length > longestPage);
  if (long !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${long.slice(0, 40)}… has ${String(long.length)} characters, and the name of a page has at most ${String(longestPage)}.`,
      next: 'Compare folders that are nearer to the pages; --root serves the files above.',
    });
  }
  return shared.map((one) => one + query);
}

async function findPages(
  folder: string,
  page: string,
  pattern: string,
): Promise<readonly string[]> {
  // A file may have a star in its name.
  if (statSync(join(folder, page), { throwIfNoEntry: false })?.isFile() === true) return [page];
  const { glob } = await import('tinyglobby');
  const files = await glob(pattern, {
    cwd: folder,
    ignore: ['**/node_modules/**'],
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  return files.filter((file) => /\.html?$/i.test(file));
}

function noneShared(page: string, some: readonly string[]): FarmError {
  return new FarmError('bad-argument', {
    what:
      some.length === 0
        ? `--page ${page} names no HTML file in any version.`
        : `--page ${page} names no page that all versions have.`,
    next: 'Quote the pattern, so that your shell leaves it to the farm. It is one of folders and git refs.',
  });
}
