import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { analyseNight, keepNightBuilds } from './night-work.ts';
import type { Prepared } from './confirm-suspects.ts';
import { readRecord } from '../records.ts';
import { prepareRemeasuring } from './remeasure.ts';
import { searchStored } from '../history.ts';
import { firstRoundOf } from '../../model/plan.ts';
import { openStore } from '../../store/store.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { aChangedFarm } from '../../testing/stored-nights.ts';

const caller = { signal: new AbortController().signal, say: () => undefined };

test('a change between two builds is measured again, side by side, and kept as an anomaly once', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const { database, run } = await aChangedFarm(folder);
  const order = { database, run, budgetMs: 240_000 };
  const found = await analyseNight(order, caller);
  expect(found).toMatchObject({
    series: 1,
    suspects: [{ cause: 'browser 20.0.1 → 20.0.2' }],
    anomalies: [{ id: 'N1', title: expect.stringMatching(/on node: 1\.\d+× since run 21$/) }],
    unconfirmed: [],
    gone: [],
  });
  const store = await openStore(database);
  const anomaly = await store.readAnomaly('N1');
  const measured = await store.readRun(anomaly.run ?? 0);
  await store.close();
  expect(anomaly.targets.map(({ device, browser }) => [device.id, browser.version])).toEqual([
    ['node@after', '20.0.2'],
    ['node@before', '20.0.1'],
  ]);
  expect(measured?.run).toMatchObject({ suite: 'compare', status: 'finished' });
  expect(measured?.run.command).toContain('npx farm compare node node --bench control');
  expect(leftRunning(folder)).toEqual([]);

  // A night whose farm died looks once more: it reports what it has confirmed, and measures nothing.
  expect(await analyseNight(order, caller)).toMatchObject({
    suspects: [],
    anomalies: [{ id: 'N1' }],
  });
  const again = await openStore(database);
  expect((await again.listAnomalies()).map(({ id }) => id)).toEqual(['N1']);
  expect((await again.listRuns()).filter(({ suite }) => suite === 'compare')).toHaveLength(1);
  await again.close();
});

/** The one suspect of a stored night, made ready to be measured again. */
async function prepareSuspect(database: string, run: number): Promise<Prepared> {
  const record = await readRecord(run, database);
  const store = await openStore(database);
  const [searched] = await searchStored(store, record.run);
  const stored = await store.readSetting(run);
  await store.close();
  if (!searched?.suspect) throw new Error('the night suspects something');
  const { series, suspect: change } = searched;
  return prepareRemeasuring({ series, change }, { record, database, caller, stored });
}

test('a night continues the undecided test of an earlier one, and all blocks decide it', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const { database, run, older } = await aChangedFarm(folder);
  const begun = await prepareSuspect(database, run);
  if (begun.kind === 'cannot') throw new Error(begun.because);
  expect(begun.carried).toBeUndefined();
  // As of a night with seven suspects: at that level no five blocks decide, and the time is over.
  const alpha = 0.05 / 7;
  const { decision } = await begun.remeasure({ alpha, budgetMs: 1 });
  expect(decision).toMatchObject({ verdict: 'undecided' });
  // A block on a slow machine does not count, and its trials are done once more.
  const before = decision?.blocks ?? 0;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(5);

  const found = await analyseNight({ database, run, budgetMs: 240_000 }, caller);
  expect(found.unconfirmed).toEqual([]);
  expect(found.anomalies).toMatchObject([
    {
      id: 'N1',
      title: expect.stringMatching(new RegExp(`${String(before)} blocks.* run 24\\b`)),
    },
  ]);
  const store = await openStore(database);
  const compared = (await store.listRuns()).filter(({ suite }) => suite === 'compare');
  const whole = (await store.readRun(24))!;
  const setting = await store.readSetting(24);
  const anomaly = await store.readAnomaly('N1');
  await store.close();
  expect(compared).toMatchObject([{ id: 24, status: 'finished' }]);
  expect(anomaly.run).toBe(24);
  expect(setting?.document.test).toMatchObject({ deviceId: 'node', metric: 'duration', alpha });
  // One first round, and then block by block: the order that the test was made for.
  expect(firstRoundOf(whole.jobs)).toEqual({ firstRound: 5 });
  const blocks = new Set(whole.trials.map(({ job }) => job.block));
  expect(blocks.size).toBeGreaterThan(5);
  const planned = whole.trials.filter(({ job }) => job.repeats === undefined);
  expect(planned).toHaveLength(2 * blocks.size);
  expect(leftRunning(folder)).toEqual([]);

  // It is decided, and asking again begins anew; without its old build that is impossible.
  expect(await prepareSuspect(database, run)).toMatchObject({ kind: 'ready' });
  expect(await prepareSuspect(database, run)).not.toHaveProperty('carried');
  await rm(older);
  expect(await prepareSuspect(database, run)).toMatchObject({ kind: 'cannot' });
});

test('leaves the suspect unconfirmed, and runs nothing, if the old build is gone', async () => {
  const folder = await aFolder();
  const { database, run, older } = await aChangedFarm(folder);
  await rm(older);
  const found = await analyseNight({ database, run, budgetMs: 60_000 }, caller);
  expect(found.suspects).toHaveLength(1);
  expect(found.anomalies).toEqual([]);
  expect(found.unconfirmed).toMatchObject([
    { reason: expect.stringMatching(new RegExp(`node 20\\.0\\.1.* ${older}\\b.*no copy`)) },
  ]);
  const store = await openStore(database);
  expect((await store.listRuns()).map(({ suite }) => suite)).not.toContain('compare');
  await store.close();
});

test('a build that was replaced is measured again as the copy that an earlier night kept', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const { database, run, older } = await aChangedFarm(folder);
  // The last night with the old build keeps it, and tonight's keeps the new one.
  for (const night of [20, run]) {
    const kept = await keepNightBuilds(await readRecord(night, database), {
      database,
      keepBuilds: 2 ** 32,
    });
    expect(kept).toMatchObject([{ browser: 'node', kept: true, because: null }]);
  }
  await rm(older);
  const order = { database, run, budgetMs: 240_000 };
  const { anomalies, unconfirmed } = await analyseNight(order, caller);
  expect(unconfirmed).toEqual([]);
  expect(anomalies).toHaveLength(1);
  const store = await openStore(database);
  const { targets } = await store.readAnomaly('N1');
  await store.close();
  const kept = (version: string): string =>
    join(folder, '.farm', 'builds', 'node', version, 'node');
  expect(targets.map(({ executable }) => executable)).toEqual([kept('20.0.2'), kept('20.0.1')]);

  const told = await farm(
    folder,
    ...[
      'bisect',
      'node',
      '--bench',
      'control',
      '--param',
      'rounds=300000',
      '--json',
      '--no-probes',
    ],
  );
  expect(told.code).toBe(0);
  expect(JSON.parse(told.stdout)).toMatchObject({
    outcome: 'narrowed',
    last: 'node@20.0.1',
    first: 'node@20.0.2',
    between: ['node@20.0.1', 'node@20.0.2'],
    steps: [{ build: 'node@20.0.2', verdict: 'as-the-newest' }],
  });
});

test('a bisection without two builds is refused, and names those that are kept', async () => {
  const folder = await aFolder();
  const none = await farm(folder, 'bisect', 'node', '--bench', 'control', '--param', 'rounds=300');
  expect(none.code).toBe(2);
  expect(none.stderr).toMatch(/two builds of node.*none is in/);
});
