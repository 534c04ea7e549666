import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The copy of the database that a night puts into a folder of backups. */
export function backupPath(folder: string, night: string): string {
  return join(folder, `farm-${night}.db`);
}

/** However old they are, so many stay: one may turn out to be bad. */
const spared = 2;

interface BackupRules {
  readonly folder: string;
  /** Those of nights that began before go; ISO 8601, UTC. */
  readonly before: string;
}

/**
 * Removes old copies that nights of this database made; other files of the folder are not the farm's
 * business, such as the copies of another farm.
 * @param nights tonight and those before, the newest first.
 * @returns the paths of those that went.
 */
export async function pruneBackups(
  nights: readonly { readonly id: string; readonly startedAt: string }[],
  { folder, before }: BackupRules,
): Promise<readonly string[]> {
  const there = nights
    .map(({ id, startedAt }) => ({ path: backupPath(folder, id), startedAt }))
    .filter(({ path }) => existsSync(path));
  const old = there.slice(spared).filter(({ startedAt }) => startedAt < before);
  for (const { path } of old) await rm(path, { force: true });
  return old.map(({ path }) => path);
}

/** How the farm names what it has not written to its end, and what SQLite puts beside such a file. */
const halfForm = /\.[0-9a-f]{8}\.half(-journal|-wal|-shm)?$/;

/** A file in progress is written all the time: one untouched for so long is abandoned. */
const staleMs = 3_600_000;

/**
 * Removes what killed prunes, backups and reports have left half written in these folders. A folder
 * that is not there has none; a file that cannot be removed stays, and is tried again next time.
 * @returns how many bytes that frees.
 */
export async function removeHalfFiles(
  folders: readonly string[],
  now: number = Date.now(),
): Promise<number> {
  let freed = 0;
  for (const folder of new Set(folders)) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => halfForm.test(one))) {
      freed += await removeIfStale(join(folder, name), now);
    }
  }
  return freed;
}

async function removeIfStale(path: string, now: number): Promise<number> {
  try {
    const { mtimeMs, size } = await stat(path);
    if (now - mtimeMs < staleMs) return 0;
    await rm(path, { force: true });
    return size;
  } catch {
    // Another process was quicker, or the file belongs to another user.
    return 0;
  }
}
