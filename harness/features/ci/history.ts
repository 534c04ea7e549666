import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { changeInShort } from '../../../reports/wording/change.ts';
import { isTime } from '../../../reports/html/number.ts';
import { withStore, writeWhole } from '../../core/app/records.ts';
import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { comparedRow } from './comparison-answer.ts';

const hash = z.string().regex(/^[0-9a-f]{7,64}$/);
const commit = z.object({
  hash,
  branch: z.string().max(500).nullable(),
  committedAt: z.string().max(40),
});

/** One comparison of two commits, as a history keeps it. */
const entryShape = z.object({
  format: z.literal('crossfarm-history-1'),
  /** ISO 8601. */
  measuredAt: z.string().max(40),
  page: z.string().max(2_000),
  /** Of the pull request; null for a push. */
  pull: z.number().int().nullable(),
  base: commit,
  head: commit,
  machine: z.string().max(500),
  rows: z.array(comparedRow).max(1_000),
});

export type HistoryEntry = z.infer<typeof entryShape>;

const [mostEntries, mostBytes] = [20_000, 1_000_000];

/**
 * Adds a comparison to a history: a folder or a database. Its name is the same everywhere, so histories
 * are merged by copying files, or by `db import`.
 * @throws FarmError `cannot-write`, and what a database that cannot be opened gives
 */
export async function addToHistory(place: string, entry: HistoryEntry): Promise<string> {
  const document = `${JSON.stringify(entry, null, 1)}\n`;
  const day = entry.measuredAt.slice(0, 10);
  const digest = createHash('sha256').update(document).digest('hex').slice(0, 8);
  const name = `${day}-${entry.head.hash.slice(0, 12)}-${digest}`;
  if (isDatabase(place)) {
    await withStore(place, (store) => store.addCommitResults([{ name, document }]));
    return place;
  }
  const path = join(place, `${name}.json`);
  await writeWhole(path, document);
  return path;
}

/** By its name, where there is nothing yet. */
function isDatabase(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? /\.(db|sqlite3?)$/i.test(place);
}

export interface StoredHistory {
  /** In the order of their commits. */
  readonly entries: readonly HistoryEntry[];
  /** Names of files and rows that cannot be read. */
  readonly leftOut: readonly string[];
}

/** Reads a history. @throws FarmError `unknown-run` for none, or one that is too long */
export async function readHistory(place: string): Promise<StoredHistory> {
  if (statSync(place, { throwIfNoEntry: false }) === undefined) throw noHistory(place);
  const documents = isDatabase(place)
    ? await withStore(place, (store) => store.listCommitResults())
    : await listFiles(place);
  if (documents.length > mostEntries) {
    throw new FarmError('unknown-run', {
      what: `${place} has ${String(documents.length)} comparisons, and at most ${String(mostEntries)} are read.`,
      next: 'Move the oldest ones elsewhere: their names begin with the day.',
    });
  }
  const entries: HistoryEntry[] = [];
  const leftOut: string[] = [];
  for (const one of documents) {
    const entry = await readEntry('path' in one ? one.path : one);
    if (entry === null) leftOut.push('path' in one ? basename(one.path) : one.name);
    else entries.push(entry);
  }
  return { entries: entries.toSorted(byCommit), leftOut };
}

async function listFiles(folder: string): Promise<readonly { readonly path: string }[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw noHistory(folder, cause);
  });
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  return files.map((name) => ({ path: join(folder, name) }));
}

function noHistory(place: string, cause?: unknown): FarmError {
  return new FarmError('unknown-run', {
    what: `${place} has no history: it cannot be read.`,
    next: `Make one: ${npxCrossfarm} ci --history ${place} --page <page>`,
    cause,
  });
}

/** A file, or the document of a database. */
async function readEntry(
  from: string | { readonly document: string },
): Promise<HistoryEntry | null> {
  try {
    if (typeof from !== 'string') return parseEntry(from.document);
    const facts = await stat(from);
    if (!facts.isFile() || facts.size > mostBytes) return null;
    return parseEntry(await readFile(from, 'utf8'));
  } catch {
    return null;
  }
}

/** @throws what JSON and its declaration say */
function parseEntry(text: string): HistoryEntry {
  return entryShape.parse(JSON.parse(text));
}

function byCommit(one: HistoryEntry, other: HistoryEntry): number {
  const order = (entry: HistoryEntry): number => Date.parse(entry.head.committedAt) || 0;
  return order(one) - order(other) || one.measuredAt.localeCompare(other.measuredAt);
}

/**
 * Says what the base's branch did after the commit that a pull request is compared with.
 * @param since its commits since then
 */
export function describeSince(
  entries: readonly HistoryEntry[],
  {
    branch,
    page,
    since,
  }: { readonly branch: string; readonly page: string; readonly since: readonly string[] },
): readonly string[] {
  const recent = new Set(since);
  const measured = entries.filter(
    (one) => one.pull === null && one.page === page && recent.has(one.head.hash),
  );
  if (measured.length === 0) return [];
  const changes = measured.flatMap(({ head, rows }) =>
    rows.flatMap(({ verdict, ratio, device, title, unit }) =>
      (verdict === 'slower' || verdict === 'faster') && ratio !== null
        ? [
            `${changeInShort({ verdict, ratio, isTime: isTime(unit) })} at ${head.hash.slice(0, 12)} (${title}, ${device})`,
          ]
        : [],
    ),
  );
  const shown = changes.slice(0, 5);
  const more = changes.length - shown.length;
  const what =
    changes.length === 0
      ? 'no change that matters'
      : `${shown.join('; ')}${more > 0 ? `; and ${String(more)} more` : ''}`;
  const count = `${String(measured.length)} of ${String(since.length)}`;
  return [`${branch} since then, ${count} commits measured: ${what}`];
}
