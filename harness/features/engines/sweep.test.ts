import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import { parsePage } from '../../../reports/golden/markup.ts';
import { looksBetween, spreadOut } from '../../core/analysis/sweep.ts';
import { aFolder } from '../../testing/folder.ts';
import { closeRegistries, useRegistry } from '../../testing/npm-registry.ts';
import { anInventory, storedBuilds } from '../../testing/stored-builds.ts';
import { compareDefaults } from '../../core/app/defaults.ts';
import { withStore } from '../../core/app/records.ts';
import { readSweep } from './stored-sweep.ts';
import { sweep, type SweepOptions } from './sweep.ts';
import { writeSweep } from './write-sweep.ts';

closeRegistries();

const builds = Array.from({ length: 9 }, (_, index) => `${String(index + 1)}.0`);

/** A sweep over nine builds, each of which takes as long as this says. */
async function swept(msOf: (version: number) => number, more: Partial<SweepOptions> = {}) {
  const folder = await aFolder();
  const database = join(folder, 'farm.db');
  await storedBuilds(database, 'chromium', builds);
  useRegistry('http://127.0.0.1:9', folder);
  const driver = fakeDriver({
    trial: () => {
      const path = driver.launches.at(-1)?.executable ?? '';
      const timed = [msOf(Number(/chromium\/(\d+)/.exec(path)?.[1]))];
      return { does: 'completes', metrics: [{ metric: 'duration', unit: 'ms', timed }] };
    },
  });
  const options: SweepOptions = {
    ...compareDefaults,
    inventory: await anInventory(folder),
    database,
    bench: 'control',
    builds: ['chromium@1..9'],
    coarse: 3,
    maxBlocks: 12,
    probes: false,
    measurement: 'fast',
    seed: 1,
    ...more,
  };
  const result = await sweep(options, {
    signal: new AbortController().signal,
    say: () => undefined,
    loadDriver: () => Promise.resolve(driver),
  });
  return { result, options, folder };
}

test('a change is narrowed to two builds that follow each other, without measuring all', async () => {
  const { result } = await swept((version) => (version < 4 ? 20 : 10));
  expect(result.changes.map(({ between, verdict }) => [...between, verdict])).toEqual([
    ['chromium@3.0', 'chromium@4.0', 'faster'],
  ]);
  expect(result.changes[0]?.ratio).toBeCloseTo(0.5);
  expect(result.notMeasured).toEqual(['chromium@6.0', 'chromium@7.0', 'chromium@8.0']);
  const ratios = result.points.map(({ ratio }) => Math.round(100 * (ratio ?? 0)) / 100);
  expect(ratios).toEqual([2, 2, 2, 1, 1, 1]);
  expect(result.reference).toBe('chromium@9.0');
});

test('what a sweep found is found again in its stored runs', async () => {
  const { result, options } = await swept((version) => (version < 4 ? 20 : 10));
  const stored = await withStore(options.database, async (store) => {
    const runs = await Promise.all(result.runs.map((run) => store.readRun(run)));
    return readSweep(runs.flatMap((run) => run ?? []));
  });
  expect(result.runs.length).toBeGreaterThan(1);
  expect(stored).toEqual({ ...result, notMeasured: [], margin: options.margin });
});

test('where nothing changed one look is enough, and the report shows every build', async () => {
  const { result, options, folder } = await swept(() => 10, { reference: 'chromium@6' });
  expect(result.changes).toEqual([]);
  expect(result.open).toEqual([]);
  expect(result.runs).toHaveLength(1);
  expect(result.reference).toBe('chromium@6.0');
  const out = join(folder, 'sweep.html');
  const { findings } = await writeSweep(result, { ...options, report: out });
  const page = parsePage(await readFile(out, 'utf8'));
  const rows = [...page.querySelectorAll('#builds-table tbody tr, table tbody tr')];
  expect(rows.length).toBeGreaterThanOrEqual(findings.points.length);
  expect(findings.points.map(({ build }) => build)).toEqual([
    'chromium@1',
    'chromium@5',
    'chromium@6',
    'chromium@9',
  ]);
  expect(page.querySelector('svg')).not.toBeNull();
});

test('refuses fewer blocks than one change in the first look needs', async () => {
  await expect(swept(() => 10, { coarse: 9, maxBlocks: 10 })).rejects.toMatchObject({
    message: expect.stringMatching(/10 blocks cannot decide anything/) as unknown,
    next: expect.stringMatching(/at least 1[1-3] blocks/) as unknown,
  });
});

test('a reference build that is not swept is refused with those that are', async () => {
  await expect(swept(() => 10, { reference: 'chromium@77' })).rejects.toMatchObject({
    message: expect.stringMatching(/chromium@77 is not among/) as unknown,
    next: expect.stringMatching(/chromium@1\.0, chromium@2\.0/) as unknown,
  });
});

test('looks are spread evenly, with both ends, and then inside', () => {
  expect(spreadOut(3, 7)).toEqual([0, 1, 2]);
  expect(spreadOut(5, 1)).toEqual([0, 4]);
  expect(spreadOut(16, 4)).toEqual([0, 5, 10, 15]);
  expect(looksBetween(0, 5, 3)).toEqual([1, 3, 4]);
  expect(looksBetween(2, 5, 3)).toEqual([3, 4]);
  expect(looksBetween(2, 3, 3)).toEqual([]);
});
