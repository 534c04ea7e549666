import { expect, test } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { FarmError } from '../errors.ts';
import type { DeclaredProbe } from '../model/reading.ts';
import type { Trial } from '../model/trial.ts';
import { connect, type Connection } from './connection.ts';
import { completed, factsOf, jobsOf } from './fixtures/example.ts';
import { unpackVersion22 } from './fixtures/version-22.ts';
import { openForeignStore } from './foreign.ts';
import { findDamage } from './database-file.ts';
import { migrate } from './migrate.ts';
import { steps } from './schema/steps.ts';
import { openStore } from './store.ts';

let path: string;

test.beforeEach(() => {
  path = test.info().outputPath('farm.db');
  unpackVersion22(path);
});

/** Everything that SQLite keeps of a schema, whatever the lines and spaces of its statements. */
async function schemaOf(connection: Connection): Promise<Readonly<Record<string, unknown>>> {
  const objects = await connection.all<{ type: string; name: string; sql: string | null }>(
    'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name',
  );
  const details: Record<string, unknown> = {};
  for (const { type, name, sql, ...rest } of objects) {
    const facts: unknown[] = [rest, sql?.replace(/\s+/g, ' ').replace(/ ?([(),]) ?/g, '$1')];
    for (const pragma of pragmasOf[type] ?? []) {
      facts.push(await connection.all(`SELECT * FROM pragma_${pragma}(?)`, [name]));
    }
    details[`${type} ${name}`] = facts;
  }
  return details;
}

const pragmasOf: Readonly<Record<string, readonly string[]>> = {
  table: ['table_xinfo', 'foreign_key_list'],
  view: ['table_xinfo'],
  index: ['index_xinfo'],
};

test('the first step makes version 22, in every table, index, view and trigger', async () => {
  const [old, anew] = [await connect(path), await connect(':memory:')];
  await migrate(anew, steps.slice(0, 1));
  const expected = await schemaOf(old);
  expect(Object.keys(expected).length).toBeGreaterThan(50);
  expect(await schemaOf(anew)).toEqual(expected);
  for (const pragma of ['user_version', 'application_id']) {
    expect(await anew.all(`PRAGMA ${pragma}`)).toEqual(await old.all(`PRAGMA ${pragma}`));
  }
  await old.close();
  await anew.close();
});

test('opening it takes it to version 26, which a new database has too', async () => {
  await (await openStore(path)).close();
  const [old, anew] = [await connect(path), await connect(':memory:')];
  await migrate(anew);
  expect(await old.all('PRAGMA user_version')).toEqual([{ user_version: 26 }]);
  expect(await schemaOf(old)).toHaveProperty('table declared_reading');
  expect(await schemaOf(old)).toEqual(await schemaOf(anew));
  await old.close();
  await anew.close();
});

test('its runs are read, with trials, readings and history, and so is its anomaly', async () => {
  const store = await openStore(path);
  const listed = await store.listRuns();
  expect(listed.map(({ id, suite, counts }) => [id, suite, counts.completed])).toEqual([
    [2, 'fib', 12],
    [1, 'compare', 10],
  ]);
  const record = (await store.readRun(2))!;
  expect(record.presences.map(({ device }) => device.id)).toEqual(['chromium', 'firefox', 'node']);
  expect(record.jobs).toHaveLength(12);
  for (const { outcome } of record.trials) {
    if (outcome.kind !== 'completed') throw new Error(outcome.kind);
    expect(outcome.result.samples[0]!.timed.length).toBeGreaterThan(0);
    const probes = outcome.readings.map(({ probe }) => probe);
    expect(probes.toSorted()).toEqual(['cpu-core', 'cpu-thread', 'environment']);
    const threads = outcome.readings.find((one) => one.probe === 'cpu-thread');
    expect(threads).toHaveProperty('threads.0.cpuMs', expect.any(Number));
    expect(threads).toHaveProperty('timeline.0.atMs', expect.any(Number));
  }
  const history = await store.readHistory({ suite: 'fib', until: 2, nights: 9 });
  expect(history.map(({ trials }) => trials)).toEqual([2, 2, 2, 2, 2, 2]);
  expect((await store.readSetting(2))!.document.pages).toBe('/home/farm/pages');
  expect(await store.listAnomalies()).toMatchObject([
    { id: 'N1', run: 1, sentence: 'half again is slower', state: 'untriaged' },
  ]);
  await store.close();
});

/** The trial with a reading that version 22 had no table for, before its others. */
function watched(trial: Trial): Trial {
  const { outcome } = trial;
  if (outcome.kind !== 'completed') throw new Error(outcome.kind);
  const readings = [
    { probe: 'fan' as DeclaredProbe, values: {}, costMs: 0.5 },
    ...outcome.readings,
    { probe: 'heat' as DeclaredProbe, notSupported: 'this machine has no sensor' },
  ];
  return { ...trial, outcome: { ...outcome, readings } };
}

test('it goes on being written: a run, a trial with a new reading, another anomaly', async () => {
  const store = await openStore(path);
  const jobs = jobsOf(1);
  const run = await store.createRun(factsOf(jobs));
  const trial = watched(completed(jobs[0]!));
  await store.writeTrial(run, trial);
  await store.finishRun(run, 'finished', '2026-11-24T00:00:00.000Z');
  expect(run).toBe(3);
  expect((await store.readRun(run))!.trials).toEqual([trial]);
  const { question, targets } = await store.readAnomaly('N1');
  const facts = { sentence: 'again', question, targets, createdAt: '2026-11-24T00:00:00.000Z' };
  expect(await store.saveAnomaly({ ...facts, run })).toBe('N2');
  await store.close();
  expect(await findDamage(path)).toEqual([]);
});

test('as another farm’s database it is read from a copy', async () => {
  const before = readFileSync(path);
  const store = await openForeignStore(path);
  expect((await store.readRun(1))!.trials).toHaveLength(10);
  expect(await store.readIdentity(2)).toBe('637ad6f3-54e2-4ebd-9395-e51b3c4e4af4');
  await store.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a later step is taken by it and by a new database alike', async () => {
  const later = [
    ...steps,
    { version: 26, sql: 'ALTER TABLE trial ADD COLUMN later TEXT' },
    { version: 27, sql: 'CREATE INDEX trial_by_later ON trial (later)' },
  ];
  const schemas: unknown[] = [];
  for (const file of [path, ':memory:']) {
    const connection = await connect(file);
    await migrate(connection, later);
    expect(await connection.all('PRAGMA user_version')).toEqual([{ user_version: 27 }]);
    schemas.push(await schemaOf(connection));
    await connection.close();
  }
  expect(schemas[0]).toHaveProperty('index trial_by_later');
  expect(schemas[1]).toEqual(schemas[0]);
});

test('a schema of an unreleased version is refused, named with what knows it, and left alone', async () => {
  const connection = await connect(path);
  await connection.execute('PRAGMA user_version = 21');
  await connection.close();
  const before = readFileSync(path);
  for (const open of [openStore, openForeignStore]) {
    const error: unknown = await open(path).catch((reason: unknown) => reason);
    if (!(error instanceof FarmError)) throw new Error(`no FarmError but ${String(error)}`);
    expect(error).toMatchObject({ code: 'older-database', exitCode: 3 });
    expect(error.message).toContain(path);
    expect(error.message).toMatch(/version 21\b.*version 22\b/);
    expect(error.next).toContain('crossfarm 0.2.0');
  }
  expect(readFileSync(path).equals(before)).toBe(true);
});
