import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { connect, type Connection } from './connection.ts';
import { migrate } from './migrate.ts';

/** The tables in `schema.md`: each `## name` with the first cells of its table's rows. */
function describedTables(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(new URL('./schema.md', import.meta.url), 'utf8');
  return new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const title = /^`([a-z_0-9]+)`/.exec(section)?.[1] ?? section.slice(0, 40);
        const rows = Array.from(section.matchAll(/^\| `([a-z_0-9]+)` +\|/gm), ([, name]) => name!);
        return [title, rows] as const;
      }),
  );
}

async function newTables(connection: Connection): Promise<ReadonlyMap<string, readonly string[]>> {
  const tables = await connection.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'`,
  );
  const columns = new Map<string, readonly string[]>();
  for (const { name } of tables) {
    const rows = await connection.all<{ name: string }>('SELECT name FROM pragma_table_xinfo(?)', [
      name,
    ]);
    columns.set(
      name,
      rows.map((row) => row.name),
    );
  }
  return columns;
}

test.describe('schema.md', () => {
  let migrated: ReadonlyMap<string, readonly string[]>;

  test.beforeAll(async () => {
    const connection = await connect(':memory:');
    await migrate(connection);
    migrated = await newTables(connection);
    await connection.close();
  });

  test('describes every table and view that there is, and no other', () => {
    expect([...describedTables().keys()].toSorted()).toEqual([...migrated.keys()].toSorted());
  });

  test('describes every column of each, in the table’s order, and no other', () => {
    expect(Object.fromEntries(describedTables())).toEqual(Object.fromEntries(migrated));
  });
});

test('a connection holds what the store promises', async () => {
  const connection = await connect(test.info().outputPath('farm.db'));
  await migrate(connection);
  const pragma = async (name: string): Promise<unknown> =>
    Object.values((await connection.all<Record<string, unknown>>(`PRAGMA ${name}`))[0]!)[0];
  expect(await pragma('journal_mode')).toBe('wal');
  // 2 is FULL: a commit survives power loss.
  expect(await pragma('synchronous')).toBe(2);
  expect(await pragma('foreign_keys')).toBe(1);
  expect(await pragma('busy_timeout')).toBeGreaterThan(0);
  await connection.close();
});

test('every table is strict, every foreign key has an index', async () => {
  const connection = await connect(':memory:');
  await migrate(connection);
  const tables = await connection.all<{ name: string; strict: number }>(
    `SELECT name, strict FROM pragma_table_list
     WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  expect(tables.length).toBeGreaterThan(10);
  expect(tables.filter(({ strict }) => strict !== 1)).toEqual([]);
  for (const { name } of tables) {
    const keys = await connection.all<{ id: number; from: string }>(
      'SELECT id, "from" FROM pragma_foreign_key_list(?) ORDER BY id, seq',
      [name],
    );
    const first = new Map(keys.toReversed().map((key) => [key.id, key.from]));
    for (const column of first.values()) {
      const plan = await connection.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT 1 FROM "${name}" WHERE "${column}" = 1`,
      );
      expect(plan[0]!.detail, `${name}.${column}`).toContain('SEARCH');
    }
  }
  await connection.close();
});
