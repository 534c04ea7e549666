import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { connect } from './connection.ts';
import { completed, makeFacts, makeJobs } from './fixtures/example.ts';
import { backUp, findDamage, findQuickDamage, requireSound } from './database-file.ts';
import { openStore } from './store.ts';

async function aDatabase(): Promise<string> {
  const path = test.info().outputPath('farm.db');
  const store = await openStore(path);
  const jobs = makeJobs(20);
  const run = await store.createRun(makeFacts(jobs));
  for (const job of jobs) await store.writeTrial(run, completed(job, Array(500).fill(1 / 3)));
  await store.close();
  return path;
}

test('finds no damage in a sound database', async () => {
  expect(await findDamage(await aDatabase())).toEqual([]);
});

test('finds a row without its parent', async () => {
  const path = await aDatabase();
  const connection = await connect(path);
  await connection.execute('PRAGMA foreign_keys = OFF; DELETE FROM run');
  await connection.close();
  expect(await findDamage(path)).toContainEqual(expect.stringMatching(/^a row of \w+ has no run$/));
});

test('a file that was partly overwritten is reported or refused', async () => {
  const path = await aDatabase();
  const bytes = readFileSync(path);
  bytes.fill(0xff, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8_192);
  writeFileSync(path, bytes);
  const damage = await findDamage(path).catch((error: unknown) => [(error as Error).message]);
  expect(damage.length).toBeGreaterThan(0);
});

test('a backup of a damaged database names that database, and leaves no copy', async () => {
  const path = await aDatabase();
  const bytes = readFileSync(path);
  const pageSize = bytes.readUInt16BE(16);
  bytes.fill(0xff, bytes.length - 20 * pageSize);
  writeFileSync(path, bytes);
  const copy = join(dirname(path), 'copy.db');
  const error = await backUp(path, copy).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({ code: 'bad-database', message: expect.stringContaining(path) });
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith('copy.db'))).toEqual([]);
});

test('only its owner may read a database, its journal, and a backup', async () => {
  test.skip(process.platform === 'win32', 'Windows has no such permissions');
  const path = test.info().outputPath('kept', 'farm.db');
  const store = await openStore(path);
  await store.createRun(makeFacts(makeJobs(1)));
  await backUp(path, join(dirname(path), 'backup.db'));
  const names = readdirSync(dirname(path)).sort();
  expect(names).toEqual(['backup.db', 'farm.db', 'farm.db-shm', 'farm.db-wal']);
  const open = names.filter((name) => (statSync(join(dirname(path), name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  await store.close();
});

test('a quick look finds overwritten pages, nothing in a sound file', async () => {
  const path = await aDatabase();
  expect(await findQuickDamage(path)).toBeNull();
  expect(await findQuickDamage(`${path}-of-nobody`)).toBeNull();
  const bytes = readFileSync(path);
  const pageSize = bytes.readUInt16BE(16);
  for (let page = 6; page < 26; page += 1) {
    bytes.fill(0xff, page * pageSize, (page + 1) * pageSize);
  }
  writeFileSync(path, bytes);
  expect(await findQuickDamage(path)).toMatch(/\w/);
  await expect(requireSound(path)).rejects.toMatchObject({ code: 'bad-database', exitCode: 3 });
});
