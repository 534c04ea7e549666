import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { changeInShort } from '../../../reports/wording/change.ts';
import { isTime } from '../../../reports/html/number.ts';
import { writeWhole } from '../../core/app/records.ts';
import { FarmError } from '../../core/errors.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { comparedRow } from './comparison-answer.ts';

const hash = z.string().regex(/^[0-9a-f]{7,64}$/);
const commit = z.object({
  hash,
  branch: z.string().max(500).nullable(),
  committedAt: z.string().max(40),
});

/** One comparison of two commits, as a history keeps it: a file. */
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
 * Adds a comparison to a history. Its file has a name of its own, so two histories are merged by copying
 * the files of one to the other.
 * @throws FarmError `cannot-write`
 */
export async function addToHistory(folder: string, entry: HistoryEntry): Promise<string> {
  const text = `${JSON.stringify(entry, null, 1)}\n`;
  const day = entry.measuredAt.slice(0, 10);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const path = join(folder, `${day}-${entry.head.hash.slice(0, 12)}-${digest}.json`);
  await writeWhole(path, text);
  return path;
}

export interface StoredHistory {
  /** In the order of their commits. */
  readonly entries: readonly HistoryEntry[];
  /** Names of files that are no entries. */
  readonly leftOut: readonly string[];
}

/** Reads a folder. @throws FarmError `unknown-run` for none, or one with too many files */
export async function readHistory(folder: string): Promise<StoredHistory> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new FarmError('unknown-run', {
      what: `${folder} has no history: it cannot be read as a folder.`,
      next: `Make one: ${npxCrossfarm} ci --history ${folder} --page <page>`,
      cause,
    });
  });
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  if (files.length > mostEntries) {
    throw new FarmError('unknown-run', {
      what: `${folder} has ${String(files.length)} files, and at most ${String(mostEntries)} are read.`,
      next: 'Move the oldest ones to another folder: their names begin with the day.',
    });
  }
  const entries: HistoryEntry[] = [];
  const leftOut: string[] = [];
  for (const name of files) {
    const entry = await readEntry(join(folder, name));
    if (entry === null) leftOut.push(name);
    else entries.push(entry);
  }
  return { entries: entries.toSorted(byCommit), leftOut };
}

async function readEntry(path: string): Promise<HistoryEntry | null> {
  try {
    const facts = await stat(path);
    if (!facts.isFile() || facts.size > mostBytes) return null;
    return entryShape.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
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
