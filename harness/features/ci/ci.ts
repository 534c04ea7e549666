import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorText, type ExitCode, exitCodes, FarmError } from '../../core/errors.ts';
import { type Io, note } from '../../core/cli/io.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { type CommentFacts, makeMarker, readHeadline, writeComment } from './comment.ts';
import { type ComparedCommits, findCommits } from './commits.ts';
import { comparisonAnswer } from './comparison-answer.ts';
import { type CommitCheck, type ForgeAccess, ForgeError, putCheck, putComment } from './forge.ts';
import { addToHistory, describeSince, readHistory } from './history.ts';
import { readSurroundings, type Surroundings, takeToken } from './surroundings.ts';

export interface CiOptions {
  readonly page: string;
  /** More words of `crossfarm compare`. */
  readonly words: readonly string[];
  readonly base?: string;
  readonly head?: string;
  /** Tells comments and checks of one pull request apart. */
  readonly name?: string;
  /** A folder or a database. */
  readonly history?: string;
  /** False writes neither a comment nor a check. */
  readonly comment: boolean;
  readonly database: string;
}

export interface CiAnswer {
  /** That of the comparison. */
  readonly exitCode: ExitCode;
  readonly base: string;
  readonly head: string;
  readonly markdown: string;
  readonly run: number | null;
  readonly comment: 'added' | 'changed' | null;
  readonly check: boolean;
  readonly history: string | null;
  /** Sentences about what could not be done. */
  readonly notes: readonly string[];
}

/**
 * Compares the two commits of a job, and tells the pull request. A refusal of the forge
 * becomes a sentence; the exit code is that of the comparison.
 * @throws FarmError for commits that are not there
 */
export async function answerPullRequest(options: CiOptions, io: Io): Promise<CiAnswer> {
  const surroundings = await readSurroundings(process.env);
  const token = takeToken(process.env, surroundings.tokens);
  const commits = await findCommits(nameCommits(options, surroundings), {
    cwd: process.cwd(),
    signal: io.signal,
  });
  const { base, head } = commits;
  const about = ({ branch, short }: typeof base): string => `${branch ?? 'commit'} at ${short}`;
  note(io, plain(`${surroundings.name}: ${about(head)} against ${about(base)}`));
  const { exitCode, answer, complaint } = await compareCommits(commits, options, io);
  const kept = await keepHistory({ answer, commits, surroundings }, options);
  const machine = describeThisMachine();
  const notes = [...commits.notes, ...kept.sentences];
  const { page } = options;
  const facts = { page, base, head, machine, answer, complaint, notes };
  const markdown = writeComment(facts);
  const told = await tell({ facts, markdown, exitCode, surroundings, token }, options, io);
  const summary = await writeSummary(surroundings.summary, markdown);
  return {
    exitCode,
    base: base.hash,
    head: head.hash,
    markdown,
    run: answer?.run ?? null,
    comment: told.comment,
    check: told.check,
    history: kept.path,
    notes: [...commits.notes, ...kept.problems, ...told.notes, ...summary],
  };
}

function nameCommits(
  { base, head }: CiOptions,
  surroundings: Surroundings,
): Parameters<typeof findCommits>[0] {
  const known = surroundings.base;
  const baseRef = base ?? known?.ref;
  if (baseRef === undefined) {
    throw new FarmError('bad-argument', {
      what: 'The environment names no base commit.',
      next: 'Name the branch to compare with: --base main',
    });
  }
  return {
    base: { branch: known?.branch ?? base ?? null, ref: baseRef },
    head: { branch: surroundings.head.branch, ref: head ?? surroundings.head.ref },
    isPull: surroundings.pull !== null || known === null,
  };
}

type Compared = Pick<CommentFacts, 'answer' | 'complaint'> & { readonly exitCode: ExitCode };

/** Asks for the comparison by the command that a user would type. */
async function compareCommits(
  { base, head }: ComparedCommits,
  { page, words, database }: CiOptions,
  io: Io,
): Promise<Compared> {
  if (io.callCommand === undefined) throw new RangeError('There is no command that compares');
  const asked = [`--page=${page}`, `--database=${database}`, ...words, '--json', '--markdown'];
  const called = await io.callCommand(['compare', ...asked, '--', base.short, head.short], {
    onLine: (line) => {
      note(io, line);
    },
  });
  const read = comparisonAnswer.safeParse(called.document);
  return {
    exitCode: called.exitCode,
    answer: read.success ? read.data : null,
    complaint: called.text.split('\n').slice(-20).join('\n'),
  };
}

interface Kept {
  readonly path: string | null;
  /** Changes of the base's branch since then, for the comment. */
  readonly sentences: readonly string[];
  readonly problems: readonly string[];
}

/** Adds the comparison to the history, and asks it about the base's branch. */
async function keepHistory(
  {
    answer,
    commits: { base, head, since },
    surroundings: { pull },
  }: Pick<Compared, 'answer'> & {
    readonly commits: ComparedCommits;
    readonly surroundings: Surroundings;
  },
  { history, page }: CiOptions,
): Promise<Kept> {
  if (history === undefined || answer === null) return { path: null, sentences: [], problems: [] };
  const place = resolve(history);
  try {
    const measuredAt = new Date().toISOString();
    const machine = describeThisMachine();
    const facts = { measuredAt, page, pull, base, head, machine, rows: answer.comparisons };
    const path = await addToHistory(place, { format: 'crossfarm-history-1', ...facts });
    const { entries, leftOut } = await readHistory(place);
    const branch = base.branch ?? 'the base';
    return {
      path,
      sentences: pull === null ? [] : describeSince(entries, { branch, page, since }),
      problems: leftOut.map((name) => `${name} is no entry of a history`),
    };
  } catch (error) {
    return {
      path: null,
      sentences: [],
      problems: [`the history was not kept: ${errorText(error)}`],
    };
  }
}

interface Told {
  readonly comment: CiAnswer['comment'];
  readonly check: boolean;
  readonly notes: readonly string[];
}

interface Telling {
  readonly facts: CommentFacts;
  readonly markdown: string;
  readonly exitCode: ExitCode;
  readonly surroundings: Surroundings;
  readonly token: string | null;
}

async function tell(telling: Telling, { comment, name }: CiOptions, io: Io): Promise<Told> {
  const { surroundings, token, markdown } = telling;
  const { forge, pull, tokens } = surroundings;
  if (!comment || forge === null) return { comment: null, check: false, notes: [] };
  if (token === null) {
    const names = ['CROSSFARM_TOKEN', ...tokens].join(' or ');
    const what = `no comment and no check: no token is set (${names})`;
    return { comment: null, check: false, notes: [what] };
  }
  const access: ForgeAccess = { forge, token, signal: io.signal };
  const notes: string[] = [];
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      io.signal.throwIfAborted();
      const why = error instanceof ForgeError ? error.message : 'the API gave no usable answer';
      notes.push(`no ${what}: ${why}`);
      return null;
    }
  };
  const marker = makeMarker(name ?? '');
  const put =
    pull === null
      ? null
      : await attempt('comment', () => putComment(access, pull, { marker, body: markdown }));
  const check = await attempt('check', async () => {
    await putCheck(access, describeCheck(telling, name));
    return true;
  });
  if (put !== null) note(io, `the comment of pull request ${String(pull)} was ${put}`);
  return { comment: put, check: check ?? false, notes };
}

function describeCheck({ facts, markdown, exitCode }: Telling, name?: string): CommitCheck {
  return {
    name: name === undefined ? 'crossfarm' : `crossfarm (${name})`,
    commit: facts.head.hash,
    conclusion:
      exitCode === exitCodes.fine
        ? 'success'
        : exitCode === exitCodes.undecided
          ? 'neutral'
          : 'failure',
    title: readHeadline(facts),
    summary: markdown,
  };
}

async function writeSummary(path: string | null, markdown: string): Promise<readonly string[]> {
  if (path === null) return [];
  try {
    await appendFile(path, `${markdown}\n`);
    return [];
  } catch (error) {
    return [`the summary of the job was not written: ${errorText(error)}`];
  }
}

function describeThisMachine(): string {
  const { cpuModel, logicalCores, system, virtualization } = describeMachine();
  const kind = virtualization === null ? '' : `, ${virtualization}`;
  return `measured on ${cpuModel}, ${String(logicalCores)} cores, ${system}${kind}`;
}
