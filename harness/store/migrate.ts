import { connect, type Connection } from './connection.ts';
import { badDatabase, explain, newerDatabase } from './failures.ts';
import { migrations } from './migrations/index.ts';

/** "xfrm" in ASCII: tells the farm's files from those of other programs (and `file` shows it). */
export const applicationId = 0x7866726d;

/**
 * Brings the database up to date, each step in its own transaction.
 * Errors: `newer-database`, `bad-database` (damaged, or some other program's).
 */
export async function migrate(connection: Connection): Promise<void> {
  // Looked at first without the write lock, so that a reader need not wait for a writer.
  let version = await connection.transaction('read', () => versionOf(connection));
  // Others can read while the farm writes. Set only now, so that a file which is refused stays as it is.
  await connection.execute('PRAGMA journal_mode = WAL');
  while (version < migrations.length) {
    version = await connection.transaction('write', () => takeStep(connection));
  }
}

/**
 * Opens the database, or makes it with its folder, and brings an older one up to date.
 * Errors: `newer-database`, `bad-database`, `cannot-write`, `disk-full`.
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

/** The version is read again under the write lock: two farms that open a new file at once share the steps. */
async function takeStep(connection: Connection): Promise<number> {
  const version = await versionOf(connection);
  const step = migrations[version];
  if (step === undefined) return version;
  await connection.execute(step);
  // A pragma takes no bound values; both are numbers of ours.
  await connection.execute(`PRAGMA user_version = ${String(version + 1)}`);
  await connection.execute(`PRAGMA application_id = ${String(applicationId)}`);
  return version + 1;
}

async function versionOf(connection: Connection): Promise<number> {
  const [facts] = await connection.all<{ version: number; application: number; tables: number }>(
    `SELECT user_version AS version, application_id AS application,
       (SELECT count(*) FROM sqlite_schema) AS tables
     FROM pragma_user_version, pragma_application_id`,
  );
  if (facts === undefined) throw badDatabase(connection.path);
  const { version, application, tables } = facts;
  if (application !== applicationId && tables > 0) throw badDatabase(connection.path);
  if (version > migrations.length) {
    throw newerDatabase(connection.path, { found: version, known: migrations.length });
  }
  return version;
}
