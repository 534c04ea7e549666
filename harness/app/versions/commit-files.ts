import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { plural } from '../../../reports/html/number.ts';
import { FarmError } from '../../errors.ts';
import { git, type Where } from './git.ts';

/** A commit, and the folder into which its files are written. */
interface Wanted extends Pick<Where, 'signal'> {
  /** What the user called it. */
  readonly ref: string;
  readonly commit: string;
  /** Somewhere in the user's repository. */
  readonly from: string;
  readonly folder: string;
}

/** Settings of a work tree, which this is none of. */
const withoutWorkTree = [
  ...['core.sparseCheckout=false', 'core.fsmonitor=false', 'core.untrackedCache=false'],
  ...['core.splitIndex=false', 'index.sparse=false'],
].flatMap((setting) => ['-c', setting]);

/**
 * Writes the files of a commit into a folder, as a checkout in the user's repository would: its own
 * configuration decides, so that filters and encryption are those of its user, and what a partial
 * clone lacks is fetched. Only the index is another one.
 * @returns the paths of submodules, which are empty folders
 * @throws FarmError `bad-argument` for a file that is not there afterwards, or has no content yet: git
 * ends well when it could not fetch one
 */
export async function writeFilesOf(wanted: Wanted): Promise<readonly string[]> {
  const { ref, commit, from, folder, signal } = wanted;
  const directory = await git(['rev-parse', '--absolute-git-dir'], { signal, cwd: from });
  const inside: Where = {
    signal,
    cwd: folder,
    environment: {
      GIT_DIR: directory,
      GIT_WORK_TREE: folder,
      GIT_INDEX_FILE: indexOf(folder),
    },
  };
  await git([...withoutWorkTree, 'read-tree', '--reset', '-u', commit], inside);
  const entries = await entriesOf(commit, inside);
  const files = entries.filter(({ kind }) => kind !== 'submodule').map(({ path }) => path);
  await refuseSome(files, async (path) => !(await isThere(join(folder, path))), {
    what: `of the commit that ${ref} names could not be read`,
    next: 'In a partial or shallow clone the rest must be fetched: git fetch --refetch --filter=blob:none does, or clone it whole.',
  });
  await refuseSome(await filtered(files, inside), (path) => isSealed(join(folder, path)), {
    what: `of ${ref} are there as pointers or sealed, and not with their content`,
    next: 'Set up what your .gitattributes name: git lfs install and git lfs fetch --all, or git-crypt unlock.',
  });
  return entries.filter(({ kind }) => kind === 'submodule').map(({ path }) => path);
}

/** The index lies beside the folder, and is copied into its repository if it gets one. */
export function indexOf(folder: string): string {
  return `${folder}.index`;
}

interface Entry {
  readonly kind: 'file' | 'submodule';
  readonly path: string;
}

async function entriesOf(commit: string, inside: Where): Promise<readonly Entry[]> {
  const listed = await git(['ls-tree', '-r', '-z', '--full-tree', commit], inside);
  return listed
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => ({
      kind: line.startsWith('160000 ') ? 'submodule' : 'file',
      path: line.slice(line.indexOf('\t') + 1),
    }));
}

/** The files of which `.gitattributes` say that a filter writes them. */
async function filtered(files: readonly string[], inside: Where): Promise<readonly string[]> {
  if (!files.some((path) => path.endsWith('.gitattributes'))) return [];
  const input = files.map((path) => `${path}\0`).join('');
  const told = await git(['check-attr', '-z', '--stdin', 'filter'], { ...inside, input });
  const words = told.split('\0');
  return files.filter((_, index) => {
    const value = words[3 * index + 2] ?? '';
    return !['', 'unspecified', 'unset', 'set'].includes(value);
  });
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** How pointers of Git LFS begin, and files that git-crypt has not opened. */
const sealed = ['version https://git-lfs.github.com/spec/', '\0GITCRYPT\0'];

async function isSealed(path: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (file === null) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const text = buffer.toString('latin1', 0, bytesRead);
    return sealed.some((begin) => text.startsWith(begin));
  } finally {
    await file.close();
  }
}

/** So many are named. */
const named = 5;

async function refuseSome(
  files: readonly string[],
  isWrong: (path: string) => Promise<boolean>,
  { what, next }: { readonly what: string; readonly next: string },
): Promise<void> {
  const wrong: string[] = [];
  for (const path of files) if (await isWrong(path)) wrong.push(path);
  if (wrong.length === 0) return;
  const more = wrong.length > named ? ' …' : '';
  throw new FarmError('bad-argument', {
    what: `${plural(wrong.length, 'file')} ${what}: ${wrong.slice(0, named).join(', ')}${more}`,
    next,
  });
}
