import { randomBytes } from 'node:crypto';
import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { FarmError } from '../errors.ts';
import type { Connection } from './connection.ts';

/**
 * Takes the database for this connection alone until it is closed. Leaving the WAL is what SQLite
 * grants only when no other process has the file open, also one that only reads.
 * Errors: `cannot-write` when somebody has it open.
 */
export async function lockAlone(connection: Connection): Promise<void> {
  await connection.execute('PRAGMA locking_mode = EXCLUSIVE');
  const mode = await leaveWal(connection);
  if (mode !== 'delete') throw new FileInUse(connection.path);
  // The lock is taken by the first transaction, and kept after it.
  await connection.execute('BEGIN EXCLUSIVE; COMMIT');
}

async function leaveWal(connection: Connection): Promise<string> {
  try {
    const [row] = await connection.all<{ journal_mode: string }>('PRAGMA journal_mode = DELETE');
    return row?.journal_mode ?? 'unknown';
  } catch (error) {
    const busy = error instanceof Error && error.message.includes('SQLITE_BUSY');
    if (busy) throw new FileInUse(connection.path);
    throw error;
  }
}

/** Another process has the file open, be it only to read. */
export class FileInUse extends FarmError {
  constructor(path: string) {
    super('cannot-write', {
      what: `${path} is open in another process, such as a run or farm serve, and was left as it is.`,
      next: 'End that first, or try again when it has ended.',
    });
  }
}

/**
 * Puts a copy without the room of removed rows in the place of the file, in one step: whoever looks
 * finds the old one or the new one, whole. The connection, which must have the file alone, goes on
 * with the old one, which no longer has a name, and is of use only to be closed.
 * @returns how many bytes the new file has.
 */
export async function replaceByCopy(connection: Connection): Promise<number> {
  // A link stays a link: what it names is replaced.
  const path = await realpath(connection.path);
  const half = `${path}.${randomBytes(4).toString('hex')}.half`;
  let bytes: number;
  try {
    await copyInto(connection, half);
    await chmod(half, (await stat(path)).mode);
    bytes = (await stat(half)).size;
    await endJournal(connection, path);
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
  // Who opened the old file meanwhile and waits for its lock must not write into what is gone.
  await connection.execute('PRAGMA application_id = 0');
  return bytes;
}

/**
 * A journal would be taken for the new file's. Everything is committed by now, and nobody else can
 * begin anything; but who has the file alone keeps its journal, emptied, and leaving it behind is
 * what SQLite does when the journal is moved to memory.
 */
async function endJournal(connection: Connection, path: string): Promise<void> {
  await connection.execute('PRAGMA journal_mode = MEMORY');
  await rm(`${path}-journal`, { force: true });
}

/** Writes a copy of the database, as small as it can be, and waits until the disk has it. */
export async function copyInto(connection: Connection, path: string): Promise<void> {
  await connection.all('VACUUM INTO ?', [path]);
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
