import { open as openFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type sqlite3 from 'sqlite3';
import { FarmError } from '../errors.ts';
import { requireOwnLinks } from '../own-path.ts';
import { cannotWrite, explain } from './failures.ts';
import { makeFolder } from '../farm-folder.ts';

/** Values of one column; booleans become 0 and 1. */
export type Value = string | number | boolean | null;

/** How long a write waits for another process's write. A trial's write takes milliseconds. */
const busyTimeoutMs = 10_000;

/**
 * One connection to one file. It runs one transaction at a time, because all statements of a connection
 * share one: without the queue, two calls at once would commit each other's half.
 */
export class Connection {
  readonly path: string;
  readonly #database: sqlite3.Database;
  readonly #statements = new Map<string, Promise<sqlite3.Statement>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, database: sqlite3.Database) {
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
  async all<Row>(sql: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    const statement = await this.#prepared(sql);
    return new Promise((resolve, reject) => {
      statement.all<Row>(parameters, (error, rows) => {
        if (error === null) resolve(rows);
        else reject(error);
      });
    });
  }

  /** Runs statements that take no values. Only inside a transaction's work, or while opening. */
  execute(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(sql, (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
  }

  /**
   * Interrupts SQLite in `work` once `signal` aborts. For strangers' files: a statement may else go
   * on for ever, and not even an exit ends it, since Node.js waits for its threads.
   * @throws the signal's reason in place of SQLite's.
   */
  async interruptible<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    let again: NodeJS.Timeout | undefined;
    const interrupt = (): void => {
      this.#database.interrupt();
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
    for (const prepared of this.#statements.values()) {
      const statement = await prepared;
      await new Promise<void>((resolve) => {
        statement.finalize(() => {
          resolve();
        });
      });
    }
    this.#statements.clear();
    await new Promise<void>((resolve, reject) => {
      this.#database.close((error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
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

  /** Two simultaneous calls prepare it once: a statement that is never finalised keeps the file open. */
  #prepared(sql: string): Promise<sqlite3.Statement> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const preparing = this.#prepare(sql);
    this.#statements.set(sql, preparing);
    preparing.catch(() => this.#statements.delete(sql));
    return preparing;
  }

  #prepare(sql: string): Promise<sqlite3.Statement> {
    return new Promise((resolve, reject) => {
      const statement = this.#database.prepare(sql, (error) => {
        if (error === null) resolve(statement);
        else reject(error);
      });
    });
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

/** The library is native and takes tens of milliseconds to load, so only a command that stores loads it. */
async function open(path: string): Promise<sqlite3.Database> {
  const { default: sqlite } = await import('sqlite3');
  return new Promise((resolve, reject) => {
    const database = new sqlite.Database(path, (error) => {
      if (error === null) resolve(database);
      else reject(explain(error, path));
    });
  });
}
