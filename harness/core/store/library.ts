import type sqlite3 from 'sqlite3';
import { errorText, FarmError } from '../errors.ts';

/** Values of one column; booleans become 0 and 1. */
export type Value = string | number | boolean | null;

/** An open file of SQLite. Errors have the name of SQLite's result code as `code`: `SQLITE_BUSY`. */
export interface SqliteDatabase {
  /** Runs one statement, which stays prepared, and gives its rows. */
  all(sql: string, parameters: readonly Value[]): Promise<readonly unknown[]>;
  /** Runs statements that take no values. */
  execute(sql: string): Promise<void>;
  /** Ends the statements of this moment; left out where the library cannot. */
  readonly interrupt?: () => void;
  close(): Promise<void>;
}

/** The libraries, each loaded when a database is opened: the first that this installation has is used. */
const libraries = { sqlite3: () => import('sqlite3'), node: loadNodeSqlite };

/**
 * Opens a file by the package sqlite3, which works in its own threads; where it was not installed,
 * or not compiled, by Node.js's own SQLite, which does not, and keeps other work waiting for milliseconds.
 * @throws FarmError `setup-failed` where neither is here; SQLite's own errors for the file.
 */
export async function openLibrary(path: string, load = libraries): Promise<SqliteDatabase> {
  let missing: unknown;
  try {
    const { default: library } = await load.sqlite3();
    return await openSqlite3(library, path);
  } catch (error) {
    if (isOfSqlite(error)) throw error;
    missing = error;
  }
  try {
    return openNodeSqlite(await load.node(), path);
  } catch (error) {
    if (isOfSqlite(error)) throw error;
    throw needsSqlite3('Results are stored', missing);
  }
}

/** @param work such as `Results are stored` */
export function needsSqlite3(work: string, cause: unknown): FarmError {
  const [seen = ''] = cause === null ? [] : errorText(cause).split('\n');
  return new FarmError('setup-failed', {
    what: `${work} by the package sqlite3, and its compiled part is not here${seen === '' ? '' : ` (${seen})`}.`,
    next: 'Let it install: npm install sqlite3 (pnpm 10: pnpm approve-builds); or use Node.js 22.13 or newer, which has a SQLite of its own.',
    cause,
  });
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_/.test(String(error.code));
}

// ---------------------------------------------------------------- sqlite3

function openSqlite3(library: typeof sqlite3, path: string): Promise<SqliteDatabase> {
  return new Promise((resolve, reject) => {
    const database = new library.Database(path, (error) => {
      if (error === null) resolve(makeSqlite3(database));
      else reject(error);
    });
  });
}

function makeSqlite3(database: sqlite3.Database): SqliteDatabase {
  const statements = new Map<string, Promise<sqlite3.Statement>>();
  const prepare = (sql: string): Promise<sqlite3.Statement> =>
    new Promise((resolve, reject) => {
      const statement = database.prepare(sql, (error) => {
        if (error === null) resolve(statement);
        else reject(error);
      });
    });
  /** Two simultaneous calls prepare it once: a statement that is never finalised keeps the file open. */
  const prepared = (sql: string): Promise<sqlite3.Statement> => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const preparing = prepare(sql);
    statements.set(sql, preparing);
    preparing.catch(() => statements.delete(sql));
    return preparing;
  };
  return {
    all: async (sql, parameters) => {
      const statement = await prepared(sql);
      return await settle((done) => statement.all(parameters, done));
    },
    execute: (sql) => settle((done) => database.exec(sql, done)),
    interrupt: () => {
      database.interrupt();
    },
    close: async () => {
      for (const preparing of statements.values()) {
        const statement = await preparing;
        await settle((done) => {
          statement.finalize(() => {
            done(null);
          });
        });
      }
      statements.clear();
      await settle((done) => {
        database.close(done);
      });
    },
  };
}

type Done<T> = (error: Error | null, result?: T) => void;

function settle<T = void>(call: (done: Done<T>) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error === null) resolve(result as T);
      else reject(error);
    });
  });
}

// ---------------------------------------------------------------- node:sqlite

/** The part of `node:sqlite` that is used: the types of Node.js 20 have none of it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => NodeDatabase;
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): { all(...parameters: (string | number | null)[]): readonly unknown[] };
  close(): void;
}

/** Without the warning that it is experimental: it is read as one of the farm. */
async function loadNodeSqlite(): Promise<NodeSqlite> {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const name: string = 'node:sqlite';
    return (await import(name)) as NodeSqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function openNodeSqlite(library: NodeSqlite, path: string): SqliteDatabase {
  const database = withCodes(() => new library.DatabaseSync(path));
  const statements = new Map<string, ReturnType<NodeDatabase['prepare']>>();
  const prepared = (sql: string): ReturnType<NodeDatabase['prepare']> => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const later = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => {
      resolve(withCodes(work));
    });
  return {
    all: (sql, parameters) =>
      later(() =>
        prepared(sql).all(
          ...parameters.map((one) => (typeof one === 'boolean' ? Number(one) : one)),
        ),
      ),
    execute: (sql) =>
      later(() => {
        database.exec(sql);
      }),
    close: () =>
      later(() => {
        database.close();
      }),
  };
}

/** Names of the result codes that the farm knows, by their numbers: sqlite.org/rescode.html. */
const codes: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

/** Gives errors the name of their result code, as the package sqlite3 does. */
function withCodes<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error;
    // The upper bits say more about the same error.
    const code = codes[Number(error.errcode) & 0xff] ?? 'SQLITE_ERROR';
    throw Object.assign(new Error(`${code}: ${error.message}`, { cause: error }), { code });
  }
}
