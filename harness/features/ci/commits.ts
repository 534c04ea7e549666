import { execa } from 'execa';
import { FarmError } from '../../core/errors.ts';
import type { NamedVersion } from './surroundings.ts';

/** A commit that is compared. */
export interface Commit {
  readonly hash: string;
  /** The first twelve signs of its hash. */
  readonly short: string;
  readonly branch: string | null;
  /** ISO 8601. */
  readonly committedAt: string;
}

/** The two commits of a comparison, and what stands between. */
export interface ComparedCommits {
  readonly base: Commit;
  readonly head: Commit;
  /** Hashes of commits that the base's branch has got since; the newest first. */
  readonly since: readonly string[];
  /** Sentences about what could not be found. */
  readonly notes: readonly string[];
}

interface Where {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Commits of the base's branch that are looked at. */
const mostSince = 1_000;
/** History that is fetched to find the common commit of a shallow clone. */
const deepenBy = 1_000;

/**
 * Finds the commits to compare: of a pull request its head and the merge base, so that what its
 * base's branch has got since counts for neither. Fetches what a shallow clone lacks.
 * @throws FarmError `bad-argument` for a name that git does not know, or takes for something else
 */
export async function findCommits(
  named: { readonly base: NamedVersion; readonly head: NamedVersion; readonly isPull: boolean },
  where: Where,
): Promise<ComparedCommits> {
  const tip = await findCommit(named.base.ref, where);
  const head = await findCommit(named.head.ref, where);
  const common = named.isPull ? await findMergeBase(tip, head, where) : tip;
  const base = common ?? tip;
  const listed = await git(
    ['rev-list', `--max-count=${String(mostSince)}`, `${base}..${tip}`],
    where,
  );
  return {
    base: await describeCommit(base, named.base.branch, where),
    head: await describeCommit(head, named.head.branch, where),
    since: listed?.split('\n').filter((line) => line !== '') ?? [],
    notes:
      common === null
        ? ['git finds no common commit of base and head, so the base itself is compared']
        : [],
  };
}

async function findCommit(name: string, where: Where): Promise<string> {
  // A branch may have any name: none may be taken for an option, nor for more than one ref.
  if (/^[-+]|[:\0]/.test(name)) {
    throw new FarmError('bad-argument', {
      what: `${name} cannot name a version: it begins with - or +, or holds a colon.`,
      next: 'Give --base and --head as hashes of commits.',
    });
  }
  const known =
    (await resolve(name, where)) ?? (await resolve(`refs/remotes/origin/${name}`, where));
  if (known !== null) return known;
  const fetched = await git(
    ['fetch', '--quiet', '--no-tags', '--depth=1', '--', 'origin', name],
    where,
  );
  const found = fetched === null ? null : await resolve('FETCH_HEAD', where);
  if (found !== null) return found;
  throw new FarmError('bad-argument', {
    what: `git knows no version ${name}, and origin has none.`,
    next: 'Check out with the whole history (fetch-depth: 0, GIT_DEPTH: "0"), or give --base and --head.',
  });
}

async function findMergeBase(tip: string, head: string, where: Where): Promise<string | null> {
  const find = (): Promise<string | null> => git(['merge-base', tip, head], where);
  const found = await find();
  if (found !== null) return found;
  if ((await git(['rev-parse', '--is-shallow-repository'], where)) !== 'true') return null;
  const deepen = `--deepen=${String(deepenBy)}`;
  await git(['fetch', '--quiet', '--no-tags', deepen, '--', 'origin', tip, head], where);
  return find();
}

async function describeCommit(hash: string, branch: string | null, where: Where): Promise<Commit> {
  const committedAt = await git(['show', '--no-patch', '--format=%cI', hash, '--'], where);
  return { hash, short: hash.slice(0, 12), branch, committedAt: committedAt ?? '' };
}

function resolve(name: string, where: Where): Promise<string | null> {
  const revision = `${name}^{commit}`;
  return git(['rev-parse', '--verify', '--quiet', '--end-of-options', revision], where);
}

/** The output of git; null where it fails. */
async function git(args: readonly string[], { cwd, signal }: Where): Promise<string | null> {
  const { failed, stdout } = await execa('git', args, {
    cwd,
    reject: false,
    stdin: 'ignore',
    timeout: 300_000,
    cancelSignal: signal,
    env: { GIT_TERMINAL_PROMPT: '0' },
  });
  signal.throwIfAborted();
  return failed ? null : stdout.trim();
}
