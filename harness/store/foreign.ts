import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Connection } from './connection.ts';
import { damageIn } from './database-file.ts';
import { badDatabase, explain } from './failures.ts';
import { schemaVersion } from './migrate.ts';
import { steps } from './schema/steps.ts';
import { openStore, type Store } from './store.ts';

/** A store to read from; closing it removes the copy. */
export type ForeignStore = Pick<Store, 'listRuns' | 'readRun' | 'readIdentity' | 'close'>;

/**
 * Opens another farm's database, which is left as it is: a copy is brought up to date and
 * read. A stranger's database is no harmless file (its views and triggers are programs), so one with
 * anything in it that this farm does not make is refused before a table is read.
 * Errors: those of `openStore`.
 */
export async function openForeignStore(path: string): Promise<ForeignStore> {
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-import-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'farm.db');
    await copyChecked(path, copy);
    const store = await openStore(copy);
    return { ...store, close: () => store.close().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyChecked(path: string, copy: string): Promise<void> {
  const connection = await connect(path);
  try {
    await connection.execute('PRAGMA trusted_schema = OFF');
    const version = await schemaVersion(connection);
    if (version === 0) throw badDatabase(path);
    await requireOwnSchema(connection, version);
    await connection.all('VACUUM INTO ?', [copy]);
  } catch (error) {
    throw explain(error, path);
  } finally {
    await connection.close();
  }
  await requireSound(copy, path);
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
    for (const name of new Set([...expected.keys(), ...found.keys()])) {
      if (expected.get(name) === found.get(name)) continue;
      throw badDatabase(
        connection.path,
        new Error(`it has not the ${name.slice(0, 100)} that crossfarm makes`),
      );
    }
  } finally {
    await own.close();
  }
}

/** Quotes and spaces aside, which versions of SQLite set differently when a table is altered. */
async function schemaOf(connection: Connection): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.all<{ type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  );
  return new Map(
    rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql).replace(/["\s]+/g, '')]),
  );
}

async function requireSound(copy: string, path: string): Promise<void> {
  const connection = await connect(copy);
  try {
    const [damage] = await damageIn(connection);
    if (damage !== undefined) throw badDatabase(path, new Error(damage));
  } catch (error) {
    throw explain(error, path);
  } finally {
    await connection.close();
  }
}
