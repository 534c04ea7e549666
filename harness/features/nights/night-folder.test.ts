import { expect, test } from '@playwright/test';
import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { aFolder } from '../../testing/folder.ts';
import { aNight } from '../../testing/nights.ts';
import type { NightDocument } from './night-document.ts';
import {
  closeBrokenNights,
  listNights,
  makeNightFolder,
  nightsFolder,
  pruneNights,
  writeNight,
} from './night-folder.ts';

/** Keeps a night of each date next to a database. */
async function keep(
  database: string,
  ...nights: readonly (readonly [string, Partial<NightDocument>])[]
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const [date, facts] of nights) {
    const startedAt = new Date(`${date}T02:30:00Z`);
    const folder = await makeNightFolder(nightsFolder(database), startedAt);
    const night = { id: basename(folder), startedAt: startedAt.toISOString(), database };
    await writeNight(folder, aNight({ ...night, ...facts }));
    folders.push(folder);
  }
  return folders;
}

test('a night has its own folder, named after its beginning, also when two begin at once', async () => {
  const nights = nightsFolder(join(await aFolder(), 'farm.db'));
  const at = new Date('2026-11-21T02:30:00.500Z');
  const folders = [await makeNightFolder(nights, at), await makeNightFolder(nights, at)];
  expect(folders.map((one) => basename(one))).toEqual([
    '2026-11-21T02-30-00Z',
    '2026-11-21T02-30-00Z-2',
  ]);
  test.skip(process.platform === 'win32', 'Windows has no such permissions');
  const modes = [nights, ...folders].map((one) => statSync(one).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o700]);
});

test('written nights are read again, the newest first, each database its own', async () => {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  await keep(database, ['2026-11-19', {}], ['2026-11-21', { run: 9 }], ['2026-11-20', {}]);
  await keep(join(folder, 'other.db'), ['2026-11-22', {}]);
  const nights = await listNights(database);
  expect(nights.map(({ document }) => document.id.slice(8, 10))).toEqual(['21', '20', '19']);
  expect(nights[0]!.document.run).toBe(9);
});

test('files that are no night, cut short, or of a newer farm are skipped', async () => {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  expect(await listNights(database)).toEqual([]);
  const [, cut = '', newer = ''] = await keep(
    database,
    ['2026-11-19', {}],
    ['2026-11-20', {}],
    ['2026-11-21', {}],
  );
  const text = await readFile(join(cut, 'night.json'), 'utf8');
  await writeFile(join(cut, 'night.json'), text.slice(0, 100));
  await writeFile(join(newer, 'night.json'), text.replace('"format": 1', '"format": 2'));
  await writeFile(join(nightsFolder(database), 'notes.txt'), 'mine');
  const nights = await listNights(database);
  expect(nights.map(({ document }) => document.id)).toEqual(['2026-11-19T02-30-00Z']);
});

test('leaves no half-written file next to night.json', async () => {
  const [folder = ''] = await keep(join(await aFolder(), 'farm.db'), ['2026-11-19', {}]);
  expect(await readdir(folder)).toEqual(['night.json']);
});

test('a night whose farm died is closed by the next one, and reported once', async () => {
  const database = join(await aFolder(), 'farm.db');
  await keep(
    database,
    ['2026-11-19', { status: 'running', exitCode: null, farm: 'dead', finishedAt: null }],
    ['2026-11-20', { status: 'running', exitCode: null, farm: 'alive', finishedAt: null }],
    ['2026-11-21', { farm: 'dead' }],
    // It died after its verdict, before its notifications.
    ['2026-11-22', { farm: 'dead', finishedAt: null }],
  );
  const isDead = (mark: string): boolean => mark === 'dead';
  const broken = await closeBrokenNights(await listNights(database), isDead);
  expect(broken).toEqual(['2026-11-22T02-30-00Z', '2026-11-19T02-30-00Z']);
  const nights = await listNights(database);
  expect(nights.map(({ document }) => document.status)).toEqual([
    ...['broken-off', 'fine', 'running', 'broken-off'],
  ]);
  expect(await closeBrokenNights(nights, isDead)).toEqual([]);
});

test('old nights are removed, but neither this one nor one in progress', async () => {
  const database = join(await aFolder(), 'farm.db');
  const folders = await keep(
    database,
    ['2026-01-01', {}],
    ['2026-01-02', { status: 'running' }],
    ['2026-01-03', {}],
    ['2026-11-21', {}],
  );
  const rules = { before: '2026-06-01T00:00:00.000Z', except: folders[2]! };
  expect(await pruneNights(await listNights(database), rules)).toBe(1);
  expect(folders.map((one) => existsSync(one))).toEqual([false, true, true, true]);
});
