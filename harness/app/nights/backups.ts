import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The copy of the database that a night puts into a folder of backups. */
export function backupPath(folder: string, night: string): string {
  return join(folder, `farm-${night}.db`);
}

/** However old they are, so many stay: one may turn out to be bad. */
const spared = 2;

export interface BackupRules {
  readonly folder: string;
  /** Those of nights that began before go; ISO 8601, UTC. */
  readonly before: string;
}

/**
 * Removes old copies that nights of this database made; other files of the folder are nobody's
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
