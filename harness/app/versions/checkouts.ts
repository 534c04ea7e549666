import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FarmError } from '../../errors.ts';
import type { Caller } from '../caller.ts';
import { indexOf, writeFilesOf } from './commit-files.ts';
import { git, run } from './git.ts';

interface Setting extends Caller {
  /** The folder where the user stands, somewhere in the repository. */
  readonly from: string;
  /** An empty folder outside the repository. */
  readonly into: string;
  /** The user's own command that builds the pages, for their shell. */
  readonly build?: string;
  /** Submodules are fetched, too. */
  readonly submodules?: boolean;
}

/**
 * Writes the files of git refs into folders outside the repository, and builds them there. The
 * repository, its work tree and its list of worktrees stay as they are. Where something is built, each
 * folder is a repository that borrows the objects, because builds ask git what they build.
 * @returns for each ref the folder that is where the user stands
 * @throws FarmError `bad-argument` for an unknown ref, files that cannot be had, or a build that fails
 */
export async function checkOut(
  refs: readonly string[],
  setting: Setting,
): Promise<ReadonlyMap<string, string>> {
  const { from, into, say } = setting;
  const folders = new Map<string, string>();
  const built = new Map<string, string>();
  for (const ref of refs) {
    const commit = await commitOf(ref, setting);
    const prefix = await git(['rev-parse', '--show-prefix'], { ...setting, cwd: from });
    say(`${ref} is commit ${commit.slice(0, 12)}`);
    const folder = built.get(commit) ?? join(into, commit);
    if (!built.has(commit)) {
      await mkdir(folder);
      await fill({ ref, commit, folder }, setting);
      await buildIn(join(folder, prefix), ref, setting);
      built.set(commit, folder);
    }
    folders.set(ref, join(folder, prefix));
  }
  return folders;
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

interface Filled {
  readonly ref: string;
  readonly commit: string;
  readonly folder: string;
}

async function fill({ ref, commit, folder }: Filled, setting: Setting): Promise<void> {
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

async function buildIn(folder: string, ref: string, setting: Setting): Promise<void> {
  const { build, say } = setting;
  if (build === undefined) return;
  say(`${ref}: ${build}`);
  const built = await run(build, [], { ...setting, cwd: folder, shell: true });
  if (!built.failed) return;
  throw new FarmError('bad-argument', {
    what: `The build of ${ref} failed (${build}):\n${built.output.split('\n').slice(-20).join('\n')}`,
    next: 'Run it by hand in a fresh clone of that ref: it sees only what is committed.',
  });
}
