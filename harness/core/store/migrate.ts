import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Connection } from './connection.ts';
import { badDatabase, explain, newerDatabase, olderDatabase } from './failures.ts';
import { commitResult, plan, run } from './schema/run.ts';
import { reading, result, trial } from './schema/trial.ts';

/** SQL that brings a database to a version of the schema. */
interface Step {
  /** `PRAGMA user_version` after it. */
  readonly version: number;
  readonly sql: string;
}

/**
 * Every step of the schema, the oldest first; a new database takes them all. The first is the schema of
 * 1.0. A released step is never edited, nor are the comments inside its statements: SQLite stores them, and
 * `foreign.ts` compares what is stored.
 */
export const steps: readonly Step[] = [
  { version: 26, sql: run + plan + trial + reading + result },
  { version: 27, sql: commitResult },
];

/** "xfrm" in ASCII: marks the farm's files (and `file` shows it). */
const applicationId = 0x7866726d;

/**
 * Brings the database up to date, by all missing steps in one transaction.
 * Errors: `newer-database`, `older-database`, `bad-database` (damaged, or some other program's).
 */
export async function migrate(connection: Connection, released = steps): Promise<void> {
  // Looked at first without the write lock, so that a reader need not wait for a writer.
  const version = await connection.transaction('read', () => schemaVersion(connection, released));
  // Only now, so that a file which is refused stays as it is.
  await switchToWal(connection);
  if (released.some((step) => step.version > version)) {
    await connection.transaction('write', () => takeSteps(connection, released));
  }
}

/**
 * Opens the database, or makes it with its folder, and brings an older one up to date.
 * Errors: those of `migrate`, `cannot-write`, `disk-full`.
 */
export async function connectMigrated(path: string): Promise<Connection> {
  const connection = await connect(path);
  try {
    await migrate(connection);
    return connection;
  } catch (error) {
    await connection.close();
    throw explain(error, path);
  }
}

const mostTries = 100;
const betweenTriesMs = 20;

/**
 * Lets others read while the farm writes. Here alone SQLite does not wait for other connections: of 1,200
 * that opened a new file three at a time, 13 found it locked (SQLite 3.52).
 */
async function switchToWal(connection: Connection, tries = mostTries): Promise<void> {
  try {
    await connection.execute('PRAGMA journal_mode = WAL');
  } catch (error) {
    const isLocked = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
    if (!isLocked || tries === 1) throw error;
    await pause(betweenTriesMs);
    await switchToWal(connection, tries - 1);
  }
}

/** Reads the version again under the write lock, because another farm may have taken the steps meanwhile. */
async function takeSteps(connection: Connection, released: typeof steps): Promise<void> {
  const version = await schemaVersion(connection, released);
  for (const step of released.filter((one) => one.version > version)) {
    await connection.execute(step.sql);
    // A pragma takes no bound values; both are numbers of ours.
    await connection.execute(`PRAGMA user_version = ${String(step.version)}`);
    await connection.execute(`PRAGMA application_id = ${String(applicationId)}`);
  }
}

/**
 * The version of the database's schema; 0 for one that is empty. Inside a transaction.
 * Errors: `newer-database`, `older-database`, `bad-database`.
 */
export async function schemaVersion(connection: Connection, released = steps): Promise<number> {
  const [facts] = await connection.all<{ version: number; application: number; tables: number }>(
    `SELECT user_version AS version, application_id AS application,
       (SELECT count(*) FROM sqlite_schema) AS tables
     FROM pragma_user_version, pragma_application_id`,
  );
  if (facts === undefined) throw badDatabase(connection.path);
  const { version, application, tables } = facts;
  if (tables === 0) return 0;
  if (application !== applicationId || version === 0) throw badDatabase(connection.path);
  const [oldest = 0, newest = oldest] = [released[0]?.version, released.at(-1)?.version];
  if (version < oldest) throw olderDatabase(connection.path, { found: version, oldest });
  if (version > newest) throw newerDatabase(connection.path, { found: version, known: newest });
  return version;
}
