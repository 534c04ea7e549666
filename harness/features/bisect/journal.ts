import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeOwnFolder, writeWholeFile } from '../../core/own-path.ts';
import { type VersionsOptions, versionsCommand } from '../compare/options.ts';
import { readAccess } from '../compare/versions/access.ts';
import type { Commit } from './commits.ts';
import { comparedCommits, type ComparedCommits, type WantedComparison } from './comparison.ts';

/** The command of a bisection, without what may differ when it goes on. */
export function commandFor(
  { hash: good }: Commit,
  { hash: bad }: Commit,
  options: VersionsOptions,
): string {
  const versions = [good, bad].map((name) => ({
    name,
    kind: 'folder' as const,
    place: { kind: 'folder' as const, folder: '', page: '' },
  }));
  return versionsCommand(versions, { ...options, access: readAccess(options) }, 0)
    .replace(`compare ${good} ${bad}`, `bisect ${good}..${bad}`)
    .replace(/ --max-blocks \d+/, '')
    .replace(/ --seed 0$/, '');
}

const journal = z.object({
  /** The command of the bisection, which goes on with it. */
  command: z.string(),
  ended: z.array(comparedCommits),
});

type JournalFile = z.infer<typeof journal>;

/**
 * The ended comparisons of a bisection, kept beside the database until it has an answer: the same
 * command goes on with them.
 */
export class Journal {
  readonly #path: string;
  readonly #command: string;
  readonly #ended: Map<string, ComparedCommits>;

  private constructor(path: string, { command, ended }: JournalFile) {
    this.#path = path;
    this.#command = command;
    this.#ended = new Map(ended.map((one) => [keyOf(one), one]));
  }

  /** @param command of the bisection: it says all that its comparisons depend on */
  static async open(database: string, command: string, anew: boolean): Promise<Journal> {
    const digest = createHash('sha256').update(command).digest('hex').slice(0, 16);
    const path = join(folderOf(database), `${digest}.json`);
    if (anew) await rm(path, { force: true });
    const begun = { command, ended: [] };
    return new Journal(path, (await readJournal(path)) ?? begun);
  }

  get length(): number {
    return this.#ended.size;
  }

  find(wanted: WantedComparison): ComparedCommits | null {
    return this.#ended.get(keyOf(wanted)) ?? null;
  }

  async add(ended: ComparedCommits): Promise<void> {
    this.#ended.set(keyOf(ended), ended);
    await makeOwnFolder(dirname(this.#path));
    const file: JournalFile = { command: this.#command, ended: [...this.#ended.values()] };
    await writeWholeFile(this.#path, JSON.stringify(file));
  }

  /** It has an answer: the same question asks anew. */
  async close(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Finds the command of the bisection without an answer that compared a commit. */
export async function findOpenBisection(database: string, commit: string): Promise<string | null> {
  const folder = folderOf(database);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map((name) => readJournal(join(folder, name))));
  const open = found.find((one) => one?.ended.some(({ commits }) => commits.includes(commit)));
  return open?.command ?? null;
}

function folderOf(database: string): string {
  return join(dirname(database), 'bisections');
}

/** Null where there is none, or it cannot be read: then all is measured again. */
async function readJournal(path: string): Promise<JournalFile | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return journal.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function keyOf({ purpose, followed, commits }: WantedComparison): string {
  return JSON.stringify([purpose, followed, commits]);
}
