import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Driver } from '../../../drivers/driver.ts';
import { fakeDriver } from '../../../drivers/fake/fake.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import type { MeasuringCaller } from '../../core/app/caller.ts';
import type { ExitCode } from '../../core/errors.ts';
import { blameChanges } from './blame-changes.ts';
import { analyseNight, keepNightBuilds } from './night-work.ts';
import type { Preparation } from './confirm-suspects.ts';
import { readRecord } from '../../core/app/records.ts';
import { prepareRemeasuring } from './remeasure.ts';
import { searchStored } from './search-history.ts';
import { detectFirstRound } from '../../core/model/plan.ts';
import { openStore } from '../../core/store/store.ts';
import type { DriverLoader } from '../../core/setup/presence.ts';
import { leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess, runInProcess } from '../../testing/in-process-farm.ts';
import { aChangedFarm } from '../../testing/stored-nights.ts';

const caller = { signal: new AbortController().signal, say: () => undefined };

/** In place of both builds of `aChangedFarm`: as much slower as its nights say, without a process. */
function playBuilds(): MeasuringCaller & { readonly loadDriver: DriverLoader } {
  const noise = seededGenerator(62);
  const fake = fakeDriver({
    trial: () => {
      const isOld = fake.launches.at(-1)?.executable.includes('20.0.1') === true;
      const duration = (isOld ? 10 : 15) * Math.exp(0.01 * noise.normal());
      return {
        does: 'completes',
        metrics: [{ metric: 'duration', unit: 'ms', timed: [duration] }],
        result: { steadiness: 'flat' },
      };
    },
  });
  const driver: Driver = {
    ...fake,
    serves: ['node'],
    // As a runtime, which is asked for its version before it runs.
    launch: async (options) => ({
      ...(await fake.launch(options)),
      version: () => Promise.resolve(null),
    }),
  };
  return { ...caller, loadDriver: () => Promise.resolve(driver) };
}

test('a change between two builds is measured again, side by side, and kept as an anomaly once', async () => {
  const { database, run } = await aChangedFarm(await aFolder());
  const order = { database, run, budgetMs: 240_000 };
  const playing = playBuilds();
  const found = await analyseNight(order, playing);
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
  expect(measured?.run.command).toContain('npx crossfarm compare node node --bench control');

  // A night whose farm died looks again: it reports what it has confirmed, and measures nothing.
  expect(await analyseNight(order, playing)).toMatchObject({
    suspects: [],
    anomalies: [{ id: 'N1' }],
  });
  const again = await openStore(database);
  expect((await again.listAnomalies()).map(({ id }) => id)).toEqual(['N1']);
  expect((await again.listRuns()).filter(({ suite }) => suite === 'compare')).toHaveLength(1);
  await again.close();
});

interface SuspectedNight {
  readonly database: string;
  readonly run: number;
  readonly playing: MeasuringCaller;
}

/** The one suspect of a stored night, made ready to be measured again. */
async function prepareSuspect({ database, run, playing }: SuspectedNight): Promise<Preparation> {
  const record = await readRecord(run, database);
  const store = await openStore(database);
  const [searched] = await searchStored(store, record.run);
  const stored = await store.readSetting(run);
  await store.close();
  if (!searched?.suspect) throw new Error('the night suspects something');
  const { series, suspect: change } = searched;
  return prepareRemeasuring({ series, change }, { record, database, caller: playing, stored });
}

test('a night continues the undecided test of an earlier one, and all blocks decide it', async () => {
  const { database, run, older } = await aChangedFarm(await aFolder());
  const night = { database, run, playing: playBuilds() };
  const begun = await prepareSuspect(night);
  if (begun.kind === 'cannot') throw new Error(begun.because);
  expect(begun.carried).toBeUndefined();
  // As of a night with seven suspects: at that level no five blocks decide, and the time is over.
  const alpha = 0.05 / 7;
  const { decision } = await begun.remeasure({ alpha, budgetMs: 1 });
  expect(decision).toMatchObject({ verdict: 'undecided' });
  expect(decision?.blocks).toBe(5);

  const found = await analyseNight({ database, run, budgetMs: 240_000 }, night.playing);
  expect(found.unconfirmed).toEqual([]);
  expect(found.anomalies).toMatchObject([
    {
      id: 'N1',
      title: expect.stringMatching(/5 blocks.* run 24\b/),
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
  expect(detectFirstRound(whole.jobs)).toEqual({ firstRound: 5 });
  const blocks = new Set(whole.trials.map(({ job }) => job.block));
  expect(blocks.size).toBeGreaterThan(5);
  const planned = whole.trials.filter(({ job }) => job.repeats === undefined);
  expect(planned).toHaveLength(2 * blocks.size);

  // It is decided, and asking again starts over; without its old build that is impossible.
  expect(await prepareSuspect(night)).toMatchObject({ kind: 'ready' });
  expect(await prepareSuspect(night)).not.toHaveProperty('carried');
  await rm(older);
  expect(await prepareSuspect(night)).toMatchObject({ kind: 'cannot' });
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

/** The last night with the old build keeps it, tonight's keeps the new one; then the old one goes. */
async function replaceBuild({ database, run, older }: Awaited<ReturnType<typeof aChangedFarm>>) {
  for (const night of [20, run]) {
    const record = await readRecord(night, database);
    const kept = await keepNightBuilds(record, { database, keepBuilds: 2 ** 32 });
    expect(kept).toMatchObject([{ browser: 'node', kept: true, because: null }]);
  }
  await rm(older);
}

test('a build that was replaced is measured again as the copy that a night kept, and its function found', async () => {
  const folder = await aFolder();
  const changed = await aChangedFarm(folder);
  const { database, run } = changed;
  await replaceBuild(changed);
  // The only one of these tests in which the builds themselves run.
  const order = { database, run, budgetMs: 240_000 };
  const { anomalies, unconfirmed } = await analyseNight(order, caller);
  expect(unconfirmed).toEqual([]);
  expect(anomalies).toHaveLength(1);
  const store = await openStore(database);
  const stored = await store.listAnomalies();
  const { targets } = await store.readAnomaly('N1');
  await store.close();
  const blamed = await blameChanges(anomalies, {
    ...caller,
    database,
    anomalies: stored,
    budgetMs: 240_000,
    callCommand: async (words) => {
      const { code, stdout, stderr } = await farmInProcess(folder, ...words, '--json');
      const document = stdout === '' ? null : (JSON.parse(stdout) as unknown);
      return { exitCode: code as ExitCode, document, text: stderr };
    },
  });
  // The loop itself, its caller, or collection: V8 shares out the time of what it interprets.
  expect(blamed[0]?.blame).toMatch(/^it is in .+, \+[\d.]+ ms \([\d.]+ … [\d.]+\)$/);
  const kept = (version: string): string =>
    join(folder, '.farm', 'builds', 'node', version, 'node');
  expect(targets.map(({ executable }) => executable)).toEqual([kept('20.0.2'), kept('20.0.1')]);
  expect(leftRunning(folder)).toEqual([]);
});

test('a bisection of the kept builds of a device narrows it down to two', async () => {
  const folder = await aFolder();
  await replaceBuild(await aChangedFarm(folder));
  const how = ['--bench', 'control', '--param', 'rounds=300000', '--json', '--no-probes'];
  const told = await runInProcess(folder, ['bisect', 'node', ...how], playBuilds());
  expect(told.code, told.stderr).toBe(0);
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
  const how = ['--bench', 'control', '--param', 'rounds=300'];
  const none = await farmInProcess(folder, 'bisect', 'node', ...how);
  expect(none.code).toBe(2);
  expect(none.stderr).toMatch(/two builds of node.*none is in/);
});
