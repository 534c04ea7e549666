import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { FarmError } from '../errors.ts';
import { connect } from './connection.ts';
import { explain } from './failures.ts';
import { migrate } from './migrate.ts';
import { copyInto } from './shrink.ts';

/**
 * Copies the database as it is at this moment, also while a run writes to it. The copy is there
 * whole or not at all, and takes no other file's place.
 * Errors: `cannot-write`, `disk-full`, `bad-database`, `newer-database`.
 */
export async function backUp(path: string, to: string): Promise<{ readonly bytes: number }> {
  if (existsSync(to)) throw taken(to);
  const half = `${to}.${randomBytes(4).toString('hex')}.half`;
  const connection = await connect(path);
  try {
    await migrate(connection);
    await copyInto(connection, half);
    // Not a rename, which would replace what somebody else has put there meanwhile.
    await link(half, to);
    return { bytes: (await stat(to)).size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw taken(to);
    throw explain(error, to);
  } finally {
    await rm(half, { force: true });
    await connection.close();
  }
}

function taken(path: string): FarmError {
  return new FarmError('cannot-write', {
    what: `${path} is there already, and a backup replaces nothing.`,
    next: 'Give another name, such as one with the date.',
  });
}
