import { open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FarmError } from '../errors.ts';
import { requireOwnLinks } from '../own-path.ts';
import { cannotWrite, explain } from './failures.ts';
import { makeFolder } from '../farm-folder.ts';
import { needsSqlite3, openLibrary, type SqliteDatabase, type Value } from './library.ts';

export type { Value };

/** How long a write waits for another process's write. A trial's write takes milliseconds. */
const busyTimeoutMs = 10_000;

/**
 * One connection to one file. It runs one transaction at a time, because all statements of a connection
 * share one: without the queue, two calls at once would commit each other's half.
 */
export class Connection {
  readonly path: string;
  readonly #database: SqliteDatabase;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, database: SqliteDatabase) {
    this.path = path;
    this.#database = database;
  }

  /**
   * Runs `work` in one transaction: it is kept whole or not at all. A `read` sees one state of the
   * database, independent of other processes' writes. Errors: `disk-full`, `cannot-write`,
   * `bad-database`; what `work` throws comes through.
   */
  transaction<Result>(kind: 'read' | 'write', work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(() => this.#transact(kind, work));
    this.#last = mine.then(
      () => undefined,
      () => undefined,
    );
    return mine;
  }

  /** Runs one statement and gives its rows. Only inside a transaction's work, or while opening. */
  all<Row>(sql: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#database.all(sql, parameters) as Promise<readonly Row[]>;
  }

  /** Runs statements that take no values. Only inside a transaction's work, or while opening. */
  execute(sql: string): Promise<void> {
    return this.#database.execute(sql);
  }

  /**
   * Interrupts SQLite in `work` once `signal` aborts. For strangers' files: a statement may else go
   * on for ever, and not even an exit ends it, since Node.js waits for its threads.
   * @throws the signal's reason in place of SQLite's; FarmError `setup-failed` where the library of
   * SQLite cannot be interrupted.
   */
  async interruptible<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const { interrupt: interruptOnce } = this.#database;
    if (interruptOnce === undefined) throw needsSqlite3('Databases of others are read', null);
    let again: NodeJS.Timeout | undefined;
    const interrupt = (): void => {
      interruptOnce();
      // It ends the statements that run at that moment; `work` may be about to begin another.
      again = setTimeout(interrupt, 50);
    };
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(again);
    }
  }

  /** Waits for transactions that were asked for, then closes the file. */
  async close(): Promise<void> {
    await this.#last;
    await this.#database.close();
  }

  async #transact<Result>(kind: 'read' | 'write', work: () => Promise<Result>): Promise<Result> {
    try {
      // IMMEDIATE takes the write lock now, so that waiting happens before the work, not in it.
      await this.execute(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
      const result = await work();
      await this.execute('COMMIT');
      return result;
    } catch (error) {
      await this.#rollBack();
      throw explain(error, this.path);
    }
  }

  async #rollBack(): Promise<void> {
    try {
      await this.execute('ROLLBACK');
    } catch (error) {
      // After a full disk SQLite has already rolled back by itself, and after a BEGIN that failed
      // there is nothing to roll back.
      const ended = error instanceof Error && error.message.includes('no transaction is active');
      if (!ended) throw explain(error, this.path);
    }
  }
}

/**
 * Opens or makes the file, and its folder, for this user only: settings of devices may be secrets.
 * `synchronous` is FULL, because with NORMAL a power loss may take the last commits of a WAL
 * database, and a stored trial must stay stored; its one sync per trial costs milliseconds, and
 * measuring takes seconds. Errors: `cannot-write`, `bad-database`.
 */
export async function connect(path: string): Promise<Connection> {
  try {
    if (path !== ':memory:') requireOwnLinks(path);
    await makeFolder(dirname(path), 0o700);
    if (path !== ':memory:') await makePrivateFile(path);
  } catch (error) {
    throw error instanceof FarmError ? error : cannotWrite(path, error);
  }
  const connection = new Connection(path, await open(path));
  try {
    await connection.execute(`PRAGMA busy_timeout = ${String(busyTimeoutMs)}`);
    await connection.execute('PRAGMA synchronous = FULL');
    await connection.execute('PRAGMA foreign_keys = ON');
    // A schema's text runs with harmless functions alone.
    await connection.execute('PRAGMA trusted_schema = OFF');
    return connection;
  } catch (error) {
    await connection.close();
    throw explain(error, path);
  }
}

/**
 * Makes an empty file that only this user may read; SQLite gives its `-wal` and `-shm` the same
 * permissions. A file that is there keeps its own. SQLite reports a file that it cannot make.
 */
export async function makePrivateFile(path: string): Promise<void> {
  const made = await openFile(path, 'wx', 0o600).catch(() => null);
  await made?.close();
}

async function open(path: string): Promise<SqliteDatabase> {
  try {
    return await openLibrary(path);
  } catch (error) {
    throw explain(error, path);
  }
}
