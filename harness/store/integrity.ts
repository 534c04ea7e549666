import { connect } from './connection.ts';
import { explain } from './failures.ts';
import { migrate } from './migrate.ts';

/**
 * Reads the whole file, and looks for what cannot be: pages that are torn, rows that break a rule of
 * their table, rows that belong to nothing.
 * @returns what is wrong, in SQLite's words; empty when the database is sound.
 * Errors: `bad-database` when it cannot even be read so far, `newer-database`, `cannot-write`.
 */
export async function findDamage(path: string): Promise<readonly string[]> {
  const connection = await connect(path);
  try {
    await migrate(connection);
    return await connection.transaction('read', async () => {
      const torn = await connection.all<{ integrity_check: string }>('PRAGMA integrity_check(20)');
      const lost = await connection.all<{ table: string; parent: string }>(
        'PRAGMA foreign_key_check',
      );
      return [
        ...torn.map((row) => row.integrity_check).filter((words) => words !== 'ok'),
        ...lost.slice(0, 20).map(({ table, parent }) => `a row of ${table} has no ${parent}`),
      ];
    });
  } catch (error) {
    throw explain(error, path);
  } finally {
    await connection.close();
  }
}
