import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FindingsReading } from '../../core/app/extensions.ts';
import { makeOwnFolder, writeWholeFile } from '../../core/own-path.ts';
import { type BlameFacts, blameFacts } from '../../core/results/blame.ts';
import type { Findings } from '../../core/results/index.ts';
import { listSettled } from './blame-text.ts';
import type { BlameResult } from './measure-blame.ts';

/** Keeps a blame beside the profiles of its comparison, for the report of that. */
export async function keepBlame(result: BlameResult, database: string): Promise<void> {
  const { run, command, profiledRuns, notProfiled, found } = result;
  const facts: BlameFacts = {
    run,
    command,
    profiledRuns,
    notProfiled,
    comparisons: found.map((one) => ({
      browser: one.deviceId,
      page: one.page,
      version: one.after,
      against: one.before,
      blocks: one.blocks,
      total: one.total,
      rows: listSettled(one).map(({ name, row: { changeMs, low, high, share } }) => ({
        name,
        changeMs,
        low,
        high,
        share,
      })),
    })),
  };
  const path = findPath(database, run);
  await makeOwnFolder(dirname(path));
  await writeWholeFile(path, JSON.stringify(facts));
}

/** Adds the functions that were blamed for the differences of a run. */
export async function addFindings({
  record: { run },
  database,
}: FindingsReading): Promise<Partial<Findings>> {
  const text = await readFile(findPath(database, run.id), 'utf8').catch(() => null);
  const facts = text === null ? null : parseFacts(text);
  // Another run has its number since: of a database that was removed.
  return facts === null || facts.command !== run.command ? {} : { blame: facts };
}

/** With the profiles of a run, so that it is removed with them. */
function findPath(database: string, run: number): string {
  return join(dirname(database), 'profiles', `run-${String(run)}`, 'blame.json');
}

/** Null where it cannot be read: then the report is that of the run alone. */
function parseFacts(text: string): BlameFacts | null {
  try {
    return blameFacts.parse(JSON.parse(text)) as BlameFacts;
  } catch {
    return null;
  }
}
