import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { FarmError, naming } from '../../../core/errors.ts';
import type { Caller } from '../../../core/app/caller.ts';
import { git, run, type Where } from './git.ts';
import { buildEnvironment, withKeptBuild } from './kept-builds.ts';
import { plural } from '../../../../reports/html/number.ts';
import { formatDuration } from '../../../core/run/progress/time-left.ts';

interface Setting extends Caller {
  /** The folder where the user stands, somewhere in the repository. */
  readonly from: string;
  /** An empty folder outside the repository. */
  readonly into: string;
  /** The user's own command that builds the pages, for their shell. */
  readonly build?: string;
  /** Submodules are fetched, too. */
  readonly submodules?: boolean;
  /** Where builds are kept for another time; none is when left out. */
  readonly kept?: string;
  /** As `withKeptBuild` takes it. */
  readonly keptSince?: number;
  /** Milliseconds that one build may take; half an hour when left out. */
  readonly buildDeadline?: number;
  /** Takes the commit of each ref. */
  readonly onExact?: (ref: string, commit: string) => void;
}

const usualDeadlineMs = 30 * 60_000;

/**
 * Writes the files of git refs into folders outside the repository, and builds them there. The
 * repository, its work tree and its list of worktrees stay as they are. Where something is built,
 * each folder is a repository that borrows the objects, because builds ask git what they build.
 * @returns for each ref the folder that is where the user stands
 * @throws FarmError `bad-argument` for an unknown ref, missing files, or a build that fails
 */
export async function checkOut(
  refs: readonly string[],
  setting: Setting,
): Promise<ReadonlyMap<string, string>> {
  const { from, say } = setting;
  const folders = new Map<string, string>();
  const built = new Map<string, string>();
  const commits: { readonly ref: string; readonly commit: string }[] = [];
  // A mistake in the last is found before the first is built.
  for (const ref of refs) commits.push({ ref, commit: await commitOf(ref, setting) });
  for (const { ref, commit } of commits) {
    setting.onExact?.(ref, commit);
    const prefix = await git(['rev-parse', '--show-prefix'], { ...setting, cwd: from });
    // A hash says so itself.
    if (!commit.startsWith(ref)) say(`${ref} is commit ${commit.slice(0, 12)}`);
    const folder =
      built.get(commit) ?? (await naming(ref, () => folderOf({ ref, commit, prefix }, setting)));
    built.set(commit, folder);
    folders.set(ref, join(folder, prefix));
  }
  return folders;
}

/** The files of a commit, built where something builds them: a build is kept, by its files and command. */
async function folderOf(
  {
    ref,
    commit,
    prefix,
  }: { readonly ref: string; readonly commit: string; readonly prefix: string },
  setting: Setting,
): Promise<string> {
  const { from, into, say, build, submodules = false, kept, keptSince } = setting;
  const make = async (folder: string): Promise<void> => {
    await fill({ ref, commit, folder }, setting);
    await buildIn(join(folder, prefix), ref, { ...setting, isRef: true });
  };
  if (build === undefined || kept === undefined) {
    const folder = join(into, commit);
    await mkdir(folder);
    await make(folder);
    return folder;
  }
  const tree = await git(['rev-parse', `${commit}^{tree}`], { ...setting, cwd: from });
  const how = createHash('sha256').update(
    JSON.stringify([build, prefix, submodules, buildEnvironment()]),
  );
  let isNew = false;
  const folder = await withKeptBuild(`${tree}-${how.digest('hex').slice(0, 16)}`, {
    kept,
    keptSince,
    make: async (empty) => {
      isNew = true;
      await make(empty);
    },
  });
  if (!isNew) say(`${ref}: its build was kept`);
  return folder;
}

async function commitOf(ref: string, setting: Setting): Promise<string> {
  const { from } = setting;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const asked = await run('git', args, { ...setting, cwd: from });
  if (!asked.failed) return asked.output;
  throw new FarmError('bad-argument', {
    what: `${ref} is neither a file, folder, URL or package nor a git ref of ${from}.`,
    next: 'git branch --all and git tag list the refs; a shallow clone has few (git fetch --unshallow).',
  });
}

interface FilledFolder {
  readonly ref: string;
  readonly commit: string;
  readonly folder: string;
}

async function fill({ ref, commit, folder }: FilledFolder, setting: Setting): Promise<void> {
  const { from, say, build, submodules: wanted = false } = setting;
  const submodules = await writeFilesOf({ ...setting, ref, commit, folder });
  const fetches = wanted && submodules.length > 0;
  if (submodules.length > 0 && !wanted) {
    const which = submodules.join(', ');
    say(`${ref} has submodules, which are left empty: ${which}. --submodules fetches them.`);
  }
  if (build !== undefined || fetches) await makeRepository(commit, folder, setting);
  if (!fetches) return;
  const here = { ...setting, cwd: folder };
  const remote = await run('git', ['remote', 'get-url', 'origin'], { ...setting, cwd: from });
  // An address in .gitmodules may be relative to it.
  if (!remote.failed) await git(['remote', 'add', '--', 'origin', remote.output], here);
  say(`${ref}: git submodule update`);
  await git(['submodule', '--quiet', 'update', '--init', '--recursive', '--depth', '1'], here);
}

async function makeRepository(commit: string, folder: string, setting: Setting): Promise<void> {
  const { from } = setting;
  const ask = (...args: readonly string[]): Promise<string> =>
    git(['rev-parse', ...args], { ...setting, cwd: from });
  const pathOf = (name: string): Promise<string> =>
    ask('--path-format=absolute', '--git-path', name);
  const here = { ...setting, cwd: folder };
  const format = await ask('--show-object-format');
  await git(['init', '--quiet', '--template=', `--object-format=${format}`], here);
  const information = join(folder, '.git', 'objects', 'info');
  await mkdir(information, { recursive: true });
  await writeFile(join(information, 'alternates'), `${await pathOf('objects')}\n`);
  // There only in a shallow clone, whose history ends there.
  const shallow = await pathOf('shallow');
  if (existsSync(shallow)) await copyFile(shallow, join(folder, '.git', 'shallow'));
  await copyFile(indexOf(folder), join(folder, '.git', 'index'));
  await git(['update-ref', '--no-deref', 'HEAD', commit], here);
}

interface Building extends Caller, Pick<Setting, 'build' | 'buildDeadline'> {
  readonly isRef?: boolean;
}

/**
 * Builds a version in its folder, and ends all that the build has started.
 * @throws FarmError `bad-argument` for a build that fails, or takes longer than its deadline
 */
export async function buildIn(folder: string, name: string, building: Building): Promise<void> {
  const { build, say, signal: stop, buildDeadline = usualDeadlineMs, isRef = false } = building;
  if (build === undefined) return;
  say(`${name}: ${build}`);
  const late = AbortSignal.timeout(buildDeadline);
  const signal = AbortSignal.any([stop, late]);
  const built = await run(build, [], { signal, cwd: folder, shell: true }).catch(
    (error: unknown) => {
      if (!late.aborted || stop.aborted) throw error;
      throw new FarmError('bad-argument', {
        what: `The build of ${name} was ended after ${formatDuration(buildDeadline)} (${build}).`,
        next: 'Does it wait for something? If it only takes long: --build-deadline 2h',
      });
    },
  );
  if (!built.failed) return;
  throw new FarmError('bad-argument', {
    what: `The build of ${name} failed (${build}):\n${built.output.split('\n').slice(-20).join('\n')}`,
    next: isRef
      ? 'Run it by hand in a fresh clone of that ref: it sees only what is committed.'
      : 'Run it by hand in that folder.',
  });
}

/** A commit, and the folder into which its files are written. */
interface WantedCommit extends Pick<Where, 'signal'> {
  /** Its name, as the user gave it. */
  readonly ref: string;
  readonly commit: string;
  /** Somewhere in the user's repository. */
  readonly from: string;
  readonly folder: string;
}

/** Settings of a work tree, which this folder lacks. */
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
async function writeFilesOf(wanted: WantedCommit): Promise<readonly string[]> {
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

/** The index lies next to the folder, and is copied into its repository if it gets one. */
function indexOf(folder: string): string {
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

/** The most that a message names. */
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
