import { expect, test } from '@playwright/test';
import { FarmError } from '../errors.ts';
import { openLibrary } from './library.ts';

const missing = (name: string) => () => Promise.reject(new Error(`Cannot find ${name}\nand more`));

/** The part of `node:sqlite` that is used: it has one row for each statement. */
class Fake {
  static closed = 0;
  exec(sql: string): void {
    if (sql !== 'BEGIN') throw Object.assign(new Error('database is locked'), { errcode: 517 });
  }
  prepare(sql: string) {
    return { all: (...values: unknown[]) => [{ sql, values }] };
  }
  close(): void {
    Fake.closed += 1;
  }
}

test('without either library one sentence says what to do', async () => {
  const opened = openLibrary(':memory:', {
    sqlite3: missing('the bindings'),
    node: missing('node:sqlite'),
  });
  const error = await opened.catch((one: unknown) => one as FarmError);
  expect(error).toBeInstanceOf(FarmError);
  expect(error).toMatchObject({ code: 'setup-failed', exitCode: 3 });
  expect((error as FarmError).message).toContain('(Cannot find the bindings).');
  expect((error as FarmError).next).toContain('npm install sqlite3');
});

test("Node.js's own SQLite serves where sqlite3 is missing, with the same errors", async () => {
  const node = () => Promise.resolve({ DatabaseSync: Fake });
  const database = await openLibrary(':memory:', { sqlite3: missing('the bindings'), node });
  expect(await database.all('SELECT ?', [true, null, 'a'])).toEqual([
    { sql: 'SELECT ?', values: [1, null, 'a'] },
  ]);
  await database.execute('BEGIN');
  await expect(database.execute('COMMIT')).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
  expect(database.interrupt).toBeUndefined();
  await database.close();
  expect(Fake.closed).toBe(1);
});

test('a file that SQLite refuses is not tried with the other library', async () => {
  let tried = 0;
  const opened = openLibrary('/nowhere/farm.db', {
    sqlite3: () => import('sqlite3'),
    node: () => {
      tried += 1;
      return Promise.reject(new Error('not here'));
    },
  });
  await expect(opened).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
  expect(tried).toBe(0);
});
