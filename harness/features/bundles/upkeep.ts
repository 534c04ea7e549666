import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { requireOwnLinks } from '../../core/own-path.ts';
import { isOfDeadFarm } from '../../core/session/farm-mark.ts';
import { backUp } from '../../core/store/database-file.ts';
import { pruneDatabase, type PruneResult, type Retention } from '../../core/store/prune.ts';

export interface PruneRules {
  /** Runs that began earlier go. */
  readonly keepDays?: number | undefined;
  /** In bytes; the oldest runs are removed until the file is small enough. */
  readonly maxSize?: number | undefined;
  /** Removes nothing. */
  readonly dryRun: boolean;
  readonly whenInUse?: Retention['whenInUse'];
}

/**
 * Removes old runs with their traces.
 * @throws FarmError `bad-argument` without a rule, `unknown-run` without a database; and those of
 *   `pruneDatabase`.
 */
export async function pruneRuns(
  database: string,
  { keepDays, maxSize, dryRun, whenInUse = 'refuse' }: PruneRules,
): Promise<PruneResult> {
  if (keepDays === undefined && maxSize === undefined) {
    throw new FarmError('bad-argument', {
      what: 'A limit is missing: the age or size from which runs are removed.',
      next: 'Give --keep-days, --max-size, or both; with --dry-run nothing is removed.',
    });
  }
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to prune: ${database} does not exist.`,
      next: 'Name another with --database.',
    });
  }
  const pruned = await pruneDatabase(database, {
    dryRun,
    whenInUse,
    isDead: isOfDeadFarm,
    ...(keepDays === undefined ? {} : { before: daysAgo(keepDays) }),
    ...(maxSize === undefined ? {} : { maxBytes: maxSize }),
  });
  if (!dryRun) await removeTraces(pruned.removed, database);
  return pruned;
}

/** The moment this number of days ago, as ISO 8601. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** Traces and profiles lie next to the database, in a folder for each run. */
async function removeTraces(runs: readonly number[], database: string): Promise<void> {
  for (const run of runs) {
    for (const kind of ['traces', 'profiles']) {
      const folder = join(dirname(database), kind, `run-${String(run)}`);
      requireOwnLinks(folder);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Copies the database, also during a run.
 * @throws FarmError `unknown-run` without a database, and those of `backUp`.
 */
export async function backUpDatabase(
  database: string,
  file: string,
): Promise<{ readonly path: string; readonly bytes: number }> {
  if (!existsSync(database)) {
    throw new FarmError('unknown-run', {
      what: `There is nothing to back up: ${database} does not exist.`,
      next: 'Name another with --database.',
    });
  }
  const path = resolve(file);
  const { bytes } = await backUp(database, path);
  return { path, bytes };
}
