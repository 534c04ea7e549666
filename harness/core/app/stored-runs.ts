import { existsSync } from 'node:fs';
import type { CountedRun, RunOutcome } from '../model/history.ts';
import { openHistory } from '../store/history/history.ts';
import type { Store } from '../store/store.ts';
import { withStore } from './records.ts';
import { outcomeResponse } from './outcome-response.ts';

export interface StoredRun extends CountedRun {
  /** Null of a run that goes on, or that is too large to be analysed in a list. */
  readonly outcome: RunOutcome | null;
}

export interface StoredRuns {
  /** The newest first. */
  readonly runs: readonly StoredRun[];
  /** True if there are older ones. */
  readonly more: boolean;
}

/** A run of more trials takes seconds to analyse: its report tells what it found. */
const mostCells = 1_000;

/** Lists the newest stored runs with what each found; none without a database. */
export async function listRuns(database: string, limit: number): Promise<StoredRuns> {
  // Opening would create the file, and reading must not.
  if (!existsSync(database)) return { runs: [], more: false };
  const { rows, next } = await newestRuns(database, limit);
  return withStore(database, async (store) => {
    const runs: StoredRun[] = [];
    for (const run of rows) runs.push({ ...run, outcome: await outcomeOf(run, store) });
    return { runs, more: next !== null };
  });
}

async function newestRuns(
  database: string,
  limit: number,
): Promise<{ readonly rows: readonly CountedRun[]; readonly next: readonly unknown[] | null }> {
  const history = await openHistory(database);
  return history.runs(null, { limit, after: null }).finally(() => history.close());
}

async function outcomeOf(
  { id, status, counts }: CountedRun,
  store: Store,
): Promise<RunOutcome | null> {
  if (status === 'running' || counts.planned > mostCells) return null;
  const record = await store.readRun(id);
  return record === null ? null : outcomeResponse(record);
}
