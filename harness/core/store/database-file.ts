import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { FarmError } from '../errors.ts';
import { requireOwnLinks } from '../own-path.ts';
import { connect, type Connection, makePrivateFile } from './connection.ts';
import { badDatabase, explain } from './failures.ts';
import { connectMigrated } from './migrate.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/**
 * Copies the database as it is at this moment, also while a run writes to it. The copy is there
 * whole or not at all, and takes no other file's place.
 * Errors: those of `openStore`, and `cannot-write` where there is a file already.
 */
export async function backUp(path: string, to: string): Promise<{ readonly bytes: number }> {
  requireOwnLinks(to);
  if (existsSync(to)) throw taken(to);
  const half = `${to}.${randomBytes(4).toString('hex')}.half`;
  const connection = await connectMigrated(path);
  try {
    await copyInto(connection, half);
    // Not a rename, which would replace a file that another program made meanwhile.
    await link(half, to);
    return { bytes: (await stat(to)).size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw taken(to);
    // The copy is new: what is damaged is what it was made of.
    const why = explain(error, path);
    throw why instanceof FarmError && why.code === 'bad-database' ? why : explain(error, to);
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

/**
 * Reads the whole file, and looks for torn pages, rows that break a rule of their table, and rows
 * without their parent.
 * @returns what is wrong, in SQLite's words; empty when the database is sound. Errors: those of
 * `openStore`; `bad-database` when it cannot even be read so far.
 */
export async function findDamage(path: string): Promise<readonly string[]> {
  const connection = await connectMigrated(path);
  try {
    return await connection.transaction('read', () => damageIn(connection));
  } catch (error) {
    throw explain(error, path);
  } finally {
    await connection.close();
  }
}

/**
 * Reads every page of the file, and compares no index with its table, which takes far longer.
 * @returns what is wrong first, in SQLite's words; null for a sound or missing database. Errors:
 * those of `connect`, except for damage.
 */
export async function findQuickDamage(path: string): Promise<string | null> {
  if (!existsSync(path)) return null;
  let connection: Connection | undefined;
  try {
    connection = await connect(path);
    const [row] = await connection.all<{ quick_check: string }>('PRAGMA quick_check(1)');
    return row === undefined || row.quick_check === 'ok' ? null : row.quick_check;
  } catch (error) {
    const why = explain(error, path);
    if (!(why instanceof FarmError) || why.code !== 'bad-database') throw why;
    return why.cause instanceof Error ? why.cause.message : why.message;
  } finally {
    await connection?.close();
  }
}

/** Nothing is written to a damaged database, which would lose more. @throws FarmError `bad-database`. */
export async function requireSound(path: string): Promise<void> {
  const damage = await findQuickDamage(path);
  if (damage !== null) throw badDatabase(path, new Error(damage));
}

/** The same as `findDamage` for an open database. */
export async function damageIn(connection: Connection): Promise<readonly string[]> {
  const torn = await connection.all<{ integrity_check: string }>('PRAGMA integrity_check(20)');
  const lost = await connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  return [
    ...torn.map((row) => row.integrity_check).filter((words) => words !== 'ok'),
    ...lost.slice(0, 20).map(({ table, parent }) => `a row of ${table} has no ${parent}`),
  ];
}

/**
 * Locks the database for this connection until it is closed. SQLite lets it leave WAL mode only when no
 * other process has the file open, not even to read. Errors: `cannot-write` when another process has it
 * open.
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
      what: `${path} is open in another process, such as a run or ${npxCrossfarm} serve, and was left as it is.`,
      next: 'End that first, or try again when it has ended.',
    });
  }
}

/**
 * Replaces the file by a copy without the room of removed rows, in one step: a reader finds the old or
 * the new one, whole. The connection, which must have the file alone, keeps the old one, which no
 * longer has a name: close it.
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
  // A process that opened the old file meanwhile and waits for its lock must not write to it.
  await connection.execute('PRAGMA application_id = 0');
  return bytes;
}

/**
 * Removes the journal, which would be taken for the new file's. Everything is committed, and no other
 * process can begin. In exclusive mode SQLite keeps an empty journal, and deletes it when the journal
 * moves to memory.
 */
async function endJournal(connection: Connection, path: string): Promise<void> {
  await connection.execute('PRAGMA journal_mode = MEMORY');
  await rm(`${path}-journal`, { force: true });
}

/** Writes a copy of the database, as small as it can be, and waits until the disk has it. */
async function copyInto(connection: Connection, path: string): Promise<void> {
  await makePrivateFile(path);
  await connection.all('VACUUM INTO ?', [path]);
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
