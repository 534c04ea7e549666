import {
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FarmError } from '../../../core/errors.ts';
import { type FoundFunction, parseFile, type ParsedFile } from '../profile/sources/instrument.ts';

/** A page on this disk, and the scripts beside it. */
export interface OpenedPage {
  /** The folder that is served. */
  readonly folder: string;
  /** The page, relative to it. */
  readonly page: string;
  /** The same as an address. */
  readonly address: string;
  readonly functions: readonly FoundFunction[];
  /** Why scripts could not be read. */
  readonly unread: readonly string[];
  readonly parsed: ReadonlyMap<string, ParsedFile>;
  /** Files that are served as they are. */
  readonly others: readonly string[];
}

const most = { files: 2000, scriptBytes: 10_000_000 };

/**
 * Reads a page and the scripts of its folder.
 * @param name an HTML file, or a folder with an index
 * @throws FarmError `bad-argument` for a page that is not there, or a folder too large to be copied
 */
export async function openPage(name: string, root?: string): Promise<OpenedPage> {
  const path = await findPage(name);
  const folder = root === undefined ? dirname(path) : await realpath(resolve(root));
  const page = relative(folder, path);
  if (page.split(sep)[0] === '..') {
    throw new FarmError('bad-argument', {
      what: `${name} does not lie in ${root ?? ''}.`,
      next: 'Give a --root that holds the page.',
    });
  }
  const files = await listFiles(folder);
  const parsed = new Map<string, ParsedFile>();
  for (const file of files) {
    const isScript = file === page || /\.[cm]?js$/i.test(file);
    const { size } = await stat(join(folder, file));
    if (!isScript || size > most.scriptBytes) continue;
    parsed.set(file, parseFile(file, await readFile(join(folder, file), 'utf8')));
  }
  return {
    folder,
    page,
    address: page.split(sep).map(encodeURIComponent).join('/'),
    parsed,
    others: files.filter((file) => !parsed.has(file)),
    functions: [...parsed.values()].flatMap(({ functions }) => functions),
    unread: [...parsed.values()].flatMap(({ unread }) => unread),
  };
}

async function findPage(name: string): Promise<string> {
  for (const path of [resolve(name), resolve(name, 'index.html')]) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile() === true && /\.html?$/i.test(path)) return realpath(path);
  }
  throw new FarmError('bad-argument', {
    what: `${name} is neither an HTML file nor a folder with an index.html.`,
    next: 'Give a page on this disk: its scripts are rewritten, which a page at a URL does not allow.',
  });
}

/** Hidden files are not served. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [''];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = join(below, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) found.push(path);
      if (found.length > most.files) {
        throw new FarmError('bad-argument', {
          what: `${folder} holds more than ${String(most.files)} files, and each version is a copy of it.`,
          next: 'Put the page into a folder with what it needs.',
        });
      }
    }
  }
  return found.sort();
}

/** Writes a copy of a page whose functions call `crossfarmCall`. */
export async function copyPage(
  { folder, parsed, others }: OpenedPage,
  into: string,
  {
    prelude,
    indexOf,
  }: { readonly prelude: string; readonly indexOf: (one: FoundFunction) => number | null },
): Promise<void> {
  for (const [file, one] of parsed) {
    await mkdir(dirname(join(into, file)), { recursive: true });
    await writeFile(join(into, file), one.write(prelude, indexOf));
  }
  for (const file of others) {
    await mkdir(dirname(join(into, file)), { recursive: true });
    // The same file where both lie on one disk.
    await link(join(folder, file), join(into, file)).catch(() =>
      copyFile(join(folder, file), join(into, file)),
    );
  }
}
