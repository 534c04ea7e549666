import { existsSync } from 'node:fs';
import { writeWholeFile } from '../own-path.ts';
import { FarmError } from '../errors.ts';
import type { RunRecord } from '../model/run.ts';
import { openStore, type Store } from '../store/store.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** Opens a store for some work, and closes it. */
export async function withStore<T>(
  database: string,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * A stored run with everything that is known of it.
 * @throws FarmError `unknown-run` with the runs that there are.
 */
export async function readRecord(which: number | 'latest', database: string): Promise<RunRecord> {
  // Opening would make it: a mistyped path must not leave an empty database behind.
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `No run was found: ${database} does not exist.`,
      next: `Make one: ${npxCrossfarm} run`,
    });
  }
  return withStore(database, async (store) => {
    const record = await store.readRun(which);
    if (record !== null) return record;
    const runs = await store.listRuns();
    throw new FarmError('unknown-run', {
      what:
        which === 'latest'
          ? `There is no run in ${database}.`
          : `There is no run ${String(which)} in ${database}.`,
      next:
        runs.length === 0
          ? `Make one: ${npxCrossfarm} run`
          : `Stored runs: ${runs.map((run) => run.id).join(', ')}.`,
    });
  });
}

/** Writes a document, whole or not at all, with the folders above it. @throws FarmError `cannot-write`. */
export async function writeWhole(path: string, text: string): Promise<void> {
  try {
    await writeWholeFile(path, text);
  } catch (error) {
    throw new FarmError('cannot-write', {
      what: `Nothing can be written to ${path}: ${(error as Error).message}.`,
      next: 'Name another place, which you may write to.',
      cause: error,
    });
  }
}
