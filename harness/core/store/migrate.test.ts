import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { FarmError } from '../errors.ts';
import { connect } from './connection.ts';
import { openForeignStore } from './foreign.ts';
import { migrate, steps } from './migrate.ts';
import { openStore } from './store.ts';

let path: string;

test.beforeEach(async () => {
  path = test.info().outputPath('farm.db');
  await (await openStore(path)).close();
});

test('a later step is taken by a stored and a new database alike', async () => {
  const newest = steps.at(-1)!.version;
  const later = [
    ...steps,
    { version: newest + 1, sql: 'ALTER TABLE trial ADD COLUMN later TEXT' },
    { version: newest + 2, sql: 'CREATE INDEX trial_by_later ON trial (later)' },
  ];
  const schemas: unknown[] = [];
  for (const file of [path, ':memory:']) {
    const connection = await connect(file);
    await migrate(connection, later);
    expect(await connection.all('PRAGMA user_version')).toEqual([{ user_version: newest + 2 }]);
    schemas.push(
      await connection.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name'),
    );
    await connection.close();
  }
  expect(schemas[0]).toContainEqual(expect.objectContaining({ name: 'trial_by_later' }));
  expect(schemas[1]).toEqual(schemas[0]);
});

test('a schema before that of 1.0 is refused, and the file left alone', async () => {
  const connection = await connect(path);
  await connection.execute('PRAGMA user_version = 25');
  await connection.close();
  const before = readFileSync(path);
  for (const open of [openStore, openForeignStore]) {
    const error: unknown = await open(path).catch((reason: unknown) => reason);
    if (!(error instanceof FarmError)) throw new Error(`no FarmError but ${String(error)}`);
    expect(error).toMatchObject({ code: 'older-database', exitCode: 3 });
    expect(error.message).toContain(path);
    expect(error.message).toMatch(/version 25\b.*version 26\b/);
    expect(error.next).toContain('export its runs');
  }
  expect(readFileSync(path).equals(before)).toBe(true);
});
