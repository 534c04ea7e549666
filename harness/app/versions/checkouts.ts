import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { FarmError } from '../../errors.ts';
import { endingAllItStarts } from '../../session/marked-command.ts';
import type { Caller } from '../caller.ts';

interface Setting extends Caller {
  /** The folder where the user stands, somewhere in the repository. */
  readonly from: string;
  /** An empty folder outside the repository. */
  readonly into: string;
  /** The user's own command that builds the pages, for their shell. */
  readonly build?: string;
}

/**
 * Checks out git refs into folders outside the repository, and builds them there. The repository, its
 * work tree and its list of worktrees stay as they are: each folder is a repository that borrows the
 * objects.
 * @returns for each ref the folder that is where the user stands
 * @throws FarmError `bad-argument` for an unknown ref, or a build that fails
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
      await checkOutCommit(commit, folder, setting);
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
    what: `${ref} is no file, folder, URL or package, and no git ref of ${from}.`,
    next: 'git branch --all and git tag list the refs; a shallow clone has few (git fetch --unshallow).',
  });
}

async function checkOutCommit(commit: string, folder: string, setting: Setting): Promise<void> {
  const { from } = setting;
  const pathOf = (name: string): Promise<string> =>
    git(['rev-parse', '--path-format=absolute', '--git-path', name], { ...setting, cwd: from });
  const here = { ...setting, cwd: folder };
  await git(['init', '--quiet', '--template='], here);
  const information = join(folder, '.git', 'objects', 'info');
  await mkdir(information, { recursive: true });
  await writeFile(join(information, 'alternates'), `${await pathOf('objects')}\n`);
  // There only in a shallow clone, whose history ends there.
  const shallow = await pathOf('shallow');
  if (existsSync(shallow)) await copyFile(shallow, join(folder, '.git', 'shallow'));
  await git(['-c', 'advice.detachedHead=false', 'checkout', '--quiet', '--detach', commit], here);
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

interface Where extends Pick<Caller, 'signal'> {
  readonly cwd: string;
  readonly shell?: boolean;
}

async function git(args: readonly string[], where: Where): Promise<string> {
  const { failed, output } = await run('git', args, where);
  if (!failed) return output;
  throw new FarmError('bad-argument', {
    what: `git ${args[0] ?? ''} failed in ${where.cwd}: ${output}`,
    next: 'Try it by hand. Without git, give folders instead of refs.',
  });
}

/** A hook of git names its repository in these, and git would use that one wherever it is called. */
const withoutRepository = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
};

/** Runs a program to its end. Its output is both streams when it fails, else its standard output. */
export async function run(
  program: string,
  args: readonly string[],
  { signal, cwd, shell = false }: Where,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const ran = await endingAllItStarts(signal, (environment) =>
    execa(program, args, {
      cwd,
      shell,
      all: true,
      reject: false,
      stdin: 'ignore',
      env: { ...environment, ...withoutRepository, GIT_TERMINAL_PROMPT: '0' },
    }),
  );
  signal.throwIfAborted();
  if (!ran.failed) return { failed: false, output: ran.stdout };
  const output = ran.all ?? '';
  return { failed: true, output: output === '' ? (ran.shortMessage ?? '') : output };
}
