import { FarmError } from '../../core/errors.ts';
import type { Caller } from '../../core/app/caller.ts';
import { git, run, type Where } from '../compare/versions/git.ts';

/** A commit, as people name it. */
export interface Commit {
  readonly hash: string;
  /** Its short hash: the name of its version of the page. */
  readonly name: string;
  readonly author: string;
  readonly subject: string;
  readonly parents: readonly string[];
}

/** The two commits that a bisection lies between. */
export interface CommitRange {
  readonly good: string;
  readonly bad: string;
}

interface Repository extends Pick<Caller, 'signal'> {
  /** A folder of it. */
  readonly from: string;
}

/**
 * Reads `good..bad`, or `good bad`.
 * @throws FarmError `bad-argument` for anything else
 */
export function parseRange([first = '', second, ...more]: readonly string[]): CommitRange {
  const [, good, bad] = /^(.+?)\.\.([^.].*)$/.exec(first) ?? [];
  const range = second === undefined ? { good, bad } : { good: first, bad: second };
  if (range.good === undefined || range.bad === undefined || more.length > 0) {
    throw new FarmError('bad-argument', {
      what: `${[first, second, ...more].filter((one) => one !== undefined).join(' ')} is no range of commits.`,
      next: 'Give two commits, the good one first: v1.4..HEAD, or v1.4 HEAD.',
    });
  }
  const option = [range.good, range.bad].find((name) => name.startsWith('-'));
  if (option !== undefined) {
    throw new FarmError('bad-argument', {
      what: `${option} begins with a hyphen, as options do.`,
      next: 'Give a branch of such a name as refs/heads/<name>.',
    });
  }
  return { good: range.good, bad: range.bad };
}

/**
 * Lists the commits from a good one to a bad one that comes after it, both included, along first
 * parents: a branch that was merged counts as one commit, its merge.
 * @throws FarmError `bad-argument` if one is unknown, or the bad one does not come after the good one
 */
export async function listCommits(
  { good, bad }: CommitRange,
  repository: Repository,
): Promise<readonly Commit[]> {
  const where = await whereOf(repository);
  const [first, last] = [await hashOf(good, where), await hashOf(bad, where)];
  if (first === last) {
    throw new FarmError('bad-argument', {
      what: `${good} and ${bad} are the same commit: nothing lies between them.`,
      next: 'Give a commit from before the change, and one from after it.',
    });
  }
  const ancestry = await run('git', ['merge-base', '--is-ancestor', first, last], where);
  if (ancestry.failed) throw await notAfter({ good, bad }, [first, last], where);
  return [await readCommit(first, where), ...(await readCommits([`${first}..${last}`], where))];
}

/**
 * Lists the commits that a merge brought in, the oldest first, beginning with the one where its
 * branch left; for each further parent of the merge.
 */
export async function listMerged(
  { parents }: Commit,
  repository: Repository,
): Promise<readonly (readonly Commit[])[]> {
  const where = await whereOf(repository);
  const [main = '', ...others] = parents;
  const branches = await Promise.all(
    others.map(async (tip) => {
      const base = await run('git', ['merge-base', main, tip], where);
      if (base.failed) return [];
      return [
        await readCommit(base.output, where),
        ...(await readCommits([`${base.output}..${tip}`], where)),
      ];
    }),
  );
  return branches.filter(({ length }) => length > 1);
}

async function whereOf({ from, signal }: Repository): Promise<Where> {
  const where = { cwd: from, signal };
  const inside = await run('git', ['rev-parse', '--is-inside-work-tree'], where);
  if (!inside.failed) return where;
  throw new FarmError('bad-argument', {
    what: `${from} is not in a git repository: ${inside.output}`,
    next: 'Go to the repository of the page, and name the commits from there.',
  });
}

async function hashOf(name: string, where: Where): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const asked = await run('git', args, where);
  if (!asked.failed) return asked.output;
  throw new FarmError('bad-argument', {
    what: `${name} is not a commit of ${where.cwd}.`,
    next: (await isShallow(where))
      ? 'This clone is shallow, and has only its last commits: git fetch --unshallow gets the others.'
      : 'git log, git branch --all and git tag list what there is.',
  });
}

async function isShallow(where: Where): Promise<boolean> {
  const { failed, output } = await run('git', ['rev-parse', '--is-shallow-repository'], where);
  return !failed && output === 'true';
}

async function notAfter(
  { good, bad }: CommitRange,
  [first, last]: readonly [string, string],
  where: Where,
): Promise<FarmError> {
  const turned = await run('git', ['merge-base', '--is-ancestor', last, first], where);
  const base = await run('git', ['merge-base', first, last], where);
  const what = `${bad} does not come after ${good}.`;
  if (!turned.failed) {
    return new FarmError('bad-argument', { what, next: `Turn them round: ${bad}..${good}` });
  }
  if (await isShallow(where)) {
    const next = 'This clone is shallow, and may lack what joins them: git fetch --unshallow';
    return new FarmError('bad-argument', { what, next });
  }
  return new FarmError('bad-argument', {
    what,
    next: base.failed
      ? 'They have no commit in common.'
      : `They have left each other at ${base.output.slice(0, 12)}: begin there, ${base.output.slice(0, 12)}..${bad}`,
  });
}

const fields = ['%H', '%h', '%an', '%s', '%P'].join('%x00');

async function readCommit(hash: string, where: Where): Promise<Commit> {
  const [commit] = await readCommits(['--no-walk', hash], where);
  if (commit === undefined) throw new RangeError(`git log says nothing of ${hash}`);
  return commit;
}

/** The oldest first. */
async function readCommits(which: readonly string[], where: Where): Promise<readonly Commit[]> {
  const args = ['log', '-z', '--reverse', '--first-parent', `--format=${fields}`, ...which, '--'];
  const words = (await git(args, where)).split('\0');
  return Array.from({ length: Math.floor(words.length / 5) }, (_, index) => {
    const [hash = '', name = '', author = '', subject = '', parents = ''] = words.slice(
      5 * index,
      5 * index + 5,
    );
    return { hash, name, author, subject, parents: parents.split(' ').filter(Boolean) };
  });
}
