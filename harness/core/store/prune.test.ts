import { expect, test } from '@playwright/test';
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FarmError } from '../errors.ts';
import type { Question } from '../model/question.ts';
import type { RunSetting } from '../model/run.ts';
import { backUp } from './database-file.ts';
import { connect } from './connection.ts';
import { completed, makeFacts, failed, makeJobs } from './fixtures/example.ts';
import { pruneDatabase, type PruneResult, type Retention } from './prune.ts';
import { openStore, type Store } from './store.ts';

let path: string;
let store: Store;

test.beforeEach(async () => {
  path = test.info().outputPath('farm.db');
  store = await openStore(path);
});

interface Making {
  readonly day: number;
  readonly suite?: string;
  readonly ends?: 'well' | 'badly' | 'interrupted' | 'not';
  readonly question?: string;
  readonly farm?: string;
  readonly preset?: 'fast';
}

const iso = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;

async function aRun(making: Making): Promise<number> {
  const { day, suite = 'quick', ends = 'well', question, farm, preset } = making;
  const [job] = makeJobs(1);
  const run = await store.createRun({
    ...makeFacts([job!]),
    suite,
    preset,
    startedAt: iso(day),
    ...(question === undefined ? {} : { question: { id: question } as Question }),
    ...(farm === undefined ? {} : { setting: { farm, document: {} as RunSetting } }),
  });
  const samples = Array.from({ length: 3_000 }, (_, index) => index / 7);
  await store.writeTrial(run, ends === 'badly' ? failed(job!) : completed(job!, samples));
  if (ends === 'not') return run;
  await store.finishRun(run, ends === 'interrupted' ? 'interrupted' : 'finished', iso(day));
  return run;
}

/** Everything older than the 20th may go, unless a test says otherwise. */
async function prune(retention: Partial<Retention> = {}): Promise<PruneResult> {
  await store.close();
  const pruned = await pruneDatabase(path, {
    before: iso(20),
    dryRun: false,
    isDead: (farm) => farm === 'dead',
    ...retention,
  });
  store = await openStore(path);
  return pruned;
}

const left = async (): Promise<readonly number[]> =>
  (await store.listRuns()).map(({ id }) => id).toSorted((a, b) => a - b);

test.afterEach(() => store.close());

test('removes old runs with everything of theirs and shrinks the file', async () => {
  for (let day = 1; day <= 8; day += 1) await aRun({ day });
  await aRun({ day: 25 });
  const pruned = await prune();
  expect(pruned).toMatchObject({ removed: [1, 2, 3, 4, 5, 6, 7, 8], kept: 1, protected: [] });
  expect(await left()).toEqual([9]);
  expect(pruned.bytesAfter).toBeLessThan(pruned.bytesBefore / 2);
  const before = await store.listRuns();
  await store.close();
  expect(statSync(path).size).toBe(pruned.bytesAfter);
  store = await openStore(path);
  expect(await store.listRuns()).toEqual(before);
  expect((await store.readRun(9))!.trials).toHaveLength(1);
  const connection = await connect(path);
  expect(await connection.all('SELECT count(*) AS n FROM machine')).toEqual([{ n: 1 }]);
  expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(await connection.all('PRAGMA foreign_key_check')).toEqual([]);
  await connection.close();
  expect(await aRun({ day: 26 })).toBe(10);
});

test('a smoke test replaces no measured run and answers no question', async () => {
  await aRun({ day: 1, suite: 'nightly' });
  await aRun({ day: 2, suite: 'nightly', preset: 'fast' });
  await aRun({ day: 3, suite: 'reproduce', question: 'A3' });
  await aRun({ day: 4, suite: 'reproduce', question: 'A3', preset: 'fast' });
  await aRun({ day: 5, suite: 'other', preset: 'fast' });
  expect((await store.readAnswer('A3'))?.run.id).toBe(3);
  const pruned = await prune();
  expect(pruned.removed).toEqual([2, 4]);
  expect(pruned.protected.map(({ run }) => run)).toEqual([1, 3, 5]);
});

test('the last good run of every suite stays, however old it is', async () => {
  await aRun({ day: 1, suite: 'nightly' });
  await aRun({ day: 2, suite: 'nightly' });
  await aRun({ day: 3, suite: 'nightly', ends: 'badly' });
  await aRun({ day: 4, suite: 'nightly', ends: 'interrupted' });
  await aRun({ day: 5, suite: 'other', ends: 'badly' });
  await aRun({ day: 25, suite: 'nightly', ends: 'badly' });
  const pruned = await prune();
  expect(pruned.removed).toEqual([1, 3, 4]);
  expect(pruned.protected).toEqual([
    { run: 2, because: 'the last good run of its suite' },
    // Its suite has no good trial, so its last run is kept.
    { run: 5, because: 'the last good run of its suite' },
  ]);
});

test('runs of anomalies, newest answers and a run that goes on stay', async () => {
  await aRun({ day: 1 });
  await aRun({ day: 2, question: 'A1' });
  await aRun({ day: 3, question: 'A1' });
  await aRun({ day: 4, ends: 'not', farm: 'alive' });
  await aRun({ day: 5, ends: 'not', farm: 'dead' });
  await aRun({ day: 6 });
  await aRun({ day: 25 });
  const { presences } = makeFacts([]);
  await store.saveAnomaly({
    run: 6,
    sentence: 'slow',
    question: {} as Question,
    createdAt: iso(6),
    targets: presences.flatMap((one) => (one.status === 'found' ? [one.target] : [])),
  });
  const pruned = await prune();
  expect(pruned.removed).toEqual([1, 2, 5]);
  expect(pruned.protected.map(({ run, because }) => [run, because])).toEqual([
    [3, 'the newest answer to its question'],
    [4, 'it is being carried out'],
    [6, 'an anomaly was found in it'],
  ]);
  expect((await store.listAnomalies()).map(({ run }) => run)).toEqual([6]);
});

test('a limit of size removes the oldest runs, and no more than necessary', async () => {
  for (const day of [3, 1, 2, 4, 5, 6]) await aRun({ day });
  await store.close();
  const { bytesBefore } = await pruneDatabase(path, {
    maxBytes: 1e12,
    dryRun: true,
    isDead: () => true,
  });
  store = await openStore(path);
  const maxBytes = Math.floor(bytesBefore * 0.8);
  await store.close();
  const pruned = await pruneDatabase(path, { maxBytes, dryRun: false, isDead: () => true });
  store = await openStore(path);
  expect(pruned.removed.slice(0, 2)).toEqual([2, 3]);
  expect(pruned.removed.length).toBeLessThan(4);
  expect(pruned.bytesAfter).toBeLessThanOrEqual(maxBytes);
  expect(await left()).toContain(6);
});

test('a dry run gives the same result, and removes nothing', async () => {
  for (const day of [1, 2, 3, 25]) await aRun({ day });
  const told = await prune({ dryRun: true });
  expect(await left()).toEqual([1, 2, 3, 4]);
  const done = await prune();
  expect(told.removed).toEqual(done.removed);
  expect(await left()).toEqual([4]);
});

test('nothing is touched while another process has the file open', async () => {
  for (const day of [1, 25]) await aRun({ day });
  const work = pruneDatabase(path, { before: iso(20), dryRun: false, isDead: () => true });
  const error = (await work.catch((reason: unknown) => reason)) as FarmError;
  expect(error).toBeInstanceOf(FarmError);
  expect(error.code).toBe('cannot-write');
  expect(error.message).toContain('is open in another process');
  expect(await left()).toEqual([1, 2]);
});

test('the new file replaces the old one with its rights and name', async () => {
  for (const day of [1, 25]) await aRun({ day });
  await store.close();
  chmodSync(path, 0o640);
  store = await openStore(path);
  await store.close();
  await pruneDatabase(path, { before: iso(20), dryRun: false, isDead: () => true });
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(dirname(path))).toEqual(['farm.db']);
  store = await openStore(path);
});

test('a backup has everything, also while a store writes, and replaces nothing', async () => {
  await aRun({ day: 1 });
  const to = test.info().outputPath('backup.db');
  await backUp(path, to);
  const copy = await openStore(to);
  expect(await copy.readRun(1)).toEqual(await store.readRun(1));
  await copy.close();
  const error = (await backUp(path, to).catch((reason: unknown) => reason)) as FarmError;
  expect(error.code).toBe('cannot-write');
  expect(error.message).toContain('a backup replaces nothing');
  const nowhere = test.info().outputPath('no', 'such', 'folder.db');
  await expect(backUp(path, nowhere)).rejects.toThrow(FarmError);
  expect(existsSync(nowhere)).toBe(false);
});

test('a night removes rows from a file in use and reports its size', async () => {
  for (const day of [1, 2, 25]) await aRun({ day });
  const pruned = await pruneDatabase(path, {
    before: iso(20),
    dryRun: false,
    isDead: () => true,
    whenInUse: 'leave-size',
  });
  expect(pruned).toMatchObject({ removed: [1, 2], kept: 1 });
  expect(pruned.notShrunk).toContain('is open in another process');
  expect(pruned.bytesAfter).toBe(pruned.bytesBefore);
  // A process that has it open sees the rest, and goes on writing into the free room.
  expect(await left()).toEqual([3]);
  expect(await aRun({ day: 26 })).toBe(4);
  expect(await prune()).toMatchObject({ removed: [], notShrunk: null });
});
