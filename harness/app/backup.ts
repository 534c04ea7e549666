import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { FarmError } from '../errors.ts';
import { backUp } from '../store/database-file.ts';

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
