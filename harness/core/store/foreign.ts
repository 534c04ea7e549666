import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FarmError } from '../errors.ts';
import { connect, type Connection } from './connection.ts';
import { damageIn } from './database-file.ts';
import { badDatabase, explain } from './failures.ts';
import { migrate, schemaVersion, steps } from './migrate.ts';
import { createStore, type Store } from './store.ts';

/** A store to read from; closing it removes the copy. */
export type ForeignStore = Pick<
  Store,
  'listRuns' | 'readRun' | 'readIdentity' | 'listCommitResults' | 'close'
>;

/**
 * Checking reads a file once or twice: at this many bytes a millisecond no disk of today takes that
 * long.
 */
const slowestBytesPerMs = 5_000;
const shortestDeadlineMs = 60_000;

/**
 * Opens another farm's database, which is left as it is: a copy is brought up to date and read. A
 * foreign database is not a harmless file (its views and triggers are programs), so one with
 * anything in it that this farm does not make is refused before a table is read. SQLite's work on
 * it ends at a deadline by the file's size, and when `signal` aborts. The copy is made in `folder`.
 * Errors: those of `openStore`; the signal's reason.
 */
export async function openForeignStore(
  path: string,
  options: { readonly folder?: string; readonly signal?: AbortSignal } = {},
): Promise<ForeignStore> {
  const { folder: above = tmpdir(), signal = new AbortController().signal } = options;
  const folder = await mkdtemp(join(above, 'crossfarm-import-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'farm.db');
    const { size } = await stat(path);
    const ends = deadline(path, shortestDeadlineMs + size / slowestBytesPerMs, signal);
    await copyChecked(path, copy, ends);
    const connection = await connectSound(copy, path, ends);
    const store = createStore(connection);
    const reading = <T>(read: () => Promise<T>): Promise<T> =>
      connection.interruptible(signal, read).catch((error: unknown) => {
        throw explainForeign(error, path);
      });
    return {
      listRuns: () => reading(() => store.listRuns()),
      readRun: (id) => reading(() => store.readRun(id)),
      readIdentity: (id) => reading(() => store.readIdentity(id)),
      listCommitResults: () => reading(() => store.listCommitResults()),
      close: () => store.close().finally(remove),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function deadline(path: string, ms: number, signal: AbortSignal): AbortSignal {
  const over = new AbortController();
  const timer = setTimeout(() => {
    const seconds = String(Math.round(ms / 1000));
    over.abort(badDatabase(path, new Error(`reading it takes longer than ${seconds} s`)));
  }, ms);
  timer.unref();
  return AbortSignal.any([over.signal, signal]);
}

async function copyChecked(path: string, copy: string, signal: AbortSignal): Promise<void> {
  const connection = await connect(path);
  try {
    await connection.interruptible(signal, async () => {
      const version = await schemaVersion(connection);
      if (version === 0) throw badDatabase(path);
      await requireOwnSchema(connection, version);
      await requireShortValues(connection);
      await connection.all('VACUUM INTO ?', [copy]);
    });
  } catch (error) {
    throw explainForeign(error, path);
  } finally {
    await connection.close();
  }
}

/** Readings of a long window, as JSON, are the longest that a farm stores. */
const longestValue = 16 * 2 ** 20;

/**
 * Before a value is read: one of half a gigabyte does not fit a string of Node.js, and would end
 * the process. SQLite takes a length from the row's head.
 */
async function requireShortValues(connection: Connection): Promise<void> {
  const columns = await connection.all<{ table: string; column: string }>(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
     WHERE t.type = 'table'`,
  );
  for (const { table, column } of columns) {
    const long = await connection.all(
      `SELECT 1 FROM "${table}" WHERE octet_length("${column}") > ${String(longestValue)} LIMIT 1`,
    );
    if (long.length === 0) continue;
    const most = String(longestValue);
    throw badDatabase(
      connection.path,
      new Error(`a value of its ${table}.${column} has more than ${most} bytes`),
    );
  }
}

/** An error of SQLite in a foreign file is not the farm's: invalid JSON in a column, say. */
function explainForeign(error: unknown, path: string): unknown {
  const known = explain(error, path);
  if (known instanceof FarmError || !(error instanceof Error) || !('code' in error)) return known;
  return String(error.code).startsWith('SQLITE_') ? badDatabase(path, error) : known;
}

/** Exactly the tables, indexes, views and triggers that a database of this version has. */
async function requireOwnSchema(connection: Connection, version: number): Promise<void> {
  const own = await connect(':memory:');
  try {
    for (const step of steps) {
      if (step.version <= version) await own.execute(step.sql);
    }
    const expected = await schemaOf(own);
    const found = await schemaOf(connection);
    // Lists and not maps: a second entry of the same name must not hide behind the first.
    const missing = expected.find((entry) => !found.includes(entry));
    const strange = found.find((entry, i) => !expected.includes(entry) || found.indexOf(entry) < i);
    const wrong = missing ?? strange;
    if (wrong === undefined) return;
    throw badDatabase(
      connection.path,
      new Error(`it has not the ${wrong.split('\n')[0] ?? ''} that crossfarm makes`),
    );
  } finally {
    await own.close();
  }
}

/**
 * SQLite's own tables and indexes in a database: `ANALYZE` adds its statistics, a unique column its
 * index. Each with its text, because SQLite goes by that alone: a "table sqlite_stat1" may hold a
 * trigger's.
 */
const ofSqlite: ReadonlySet<string> = new Set([
  'table sqlite_sequence\nCREATETABLEsqlite_sequence(name,seq)',
  'table sqlite_stat1\nCREATETABLEsqlite_stat1(tbl,idx,stat)',
  'table sqlite_stat4\nCREATETABLEsqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]);

/** A line of kind and name, and one of its SQL. Quotes and spaces aside, which versions of SQLite set differently when a table is altered. */
async function schemaOf(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, sql FROM sqlite_schema',
  );
  return rows
    .filter(({ type, name, sql }) => {
      // Without its own text it comes from the table's.
      return !(type === 'index' && sql === null && name.startsWith('sqlite_autoindex_'));
    })
    .map(({ type, name, sql }) => {
      return `${type} ${name.slice(0, 100)}\n${String(sql).replace(/["\s]+/g, '')}`;
    })
    .filter((entry) => !ofSqlite.has(entry));
}

/** The copy, once it is sound and up to date. */
async function connectSound(copy: string, path: string, signal: AbortSignal): Promise<Connection> {
  const connection = await connect(copy);
  try {
    await connection.interruptible(signal, async () => {
      const [damage] = await damageIn(connection);
      if (damage !== undefined) throw badDatabase(path, new Error(damage));
      await migrate(connection);
    });
    return connection;
  } catch (error) {
    await connection.close();
    throw explainForeign(error, path);
  }
}
