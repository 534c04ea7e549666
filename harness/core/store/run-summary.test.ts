import { expect, test } from '@playwright/test';
import type { NightValue } from '../model/night.ts';
import { makeDisplayReading } from '../model/display.ts';
import type { Trial } from '../model/trial.ts';
import { aCompletion, aDisplay, aResult } from '../../testing/builders.ts';
import { connect, type Connection } from './connection.ts';
import {
  completed,
  makeFacts,
  failed,
  makeJobs,
  quarantined,
  makeRepeat,
  setting,
} from './fixtures/example.ts';
import { migrate } from './migrate.ts';
import { createStore, type Store } from './store.ts';
import type { RunFacts } from './write-run.ts';

let connection: Connection;
let store: Store;

test.beforeEach(async () => {
  connection = await connect(test.info().outputPath('farm.db'));
  await migrate(connection);
  store = createStore(connection);
});

test.afterEach(() => store.close());

/** Cells of the device that is there, one in each block. */
const cells = makeJobs(8).filter(({ deviceId }) => deviceId === 'chromium');

interface Making extends Partial<Omit<RunFacts, 'jobs'>> {
  /** Timed samples of each block's trial. */
  readonly samples?: readonly (readonly number[])[];
  readonly ends?: 'finished' | 'interrupted' | 'running';
}

async function aNight({ samples = [[1, 2, 3]], ends = 'finished', ...facts }: Making = {}) {
  const jobs = samples.map((_, block) => cells[block]!);
  const run = await store.createRun({ ...makeFacts(jobs), suite: 'nightly', ...facts });
  for (const [block, timed] of samples.entries()) {
    await store.writeTrial(run, completed(jobs[block]!, timed));
  }
  if (ends !== 'running') await store.finishRun(run, ends, '2026-11-21T01:00:00.000Z');
  return run;
}

const read = (until: number, nights = 100): Promise<readonly NightValue[]> =>
  store.readHistory({ suite: 'nightly', until, nights });

test("a night's value is the median of its trials' medians", async () => {
  const run = await aNight({ samples: [[1, 9, 2], [5], [3, 4]] });
  const [value, ...others] = await read(run);
  expect(others).toEqual([]);
  expect(value).toMatchObject({
    benchmark: 'fib',
    benchmarkVersion: 3,
    caseName: 'fib function=asyncFib n=20',
    metric: { id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' },
    isolated: true,
    // Medians 2, 5 and 3.5.
    median: 3.5,
    trials: 3,
    target: {
      device: { id: 'chromium', driver: 'playwright', flags: ['--mute-audio'] },
      browser: { name: 'chromium', version: '156.0' },
      executable: '/usr/bin/chromium',
      server: '/usr/bin/chromedriver',
    },
  });
  expect(value?.run).toEqual((await store.readRun(run))?.run);
});

test('smoke tests of the preset fast stay apart from the nights of their suite', async () => {
  const before = await aNight();
  const smoke = await aNight({ preset: 'fast' });
  const night = await aNight();
  const runsUntil = async (until: number) => (await read(until)).map(({ run }) => run.id);
  expect(await runsUntil(night)).toEqual([before, night]);
  expect(await runsUntil(smoke)).toEqual([smoke]);
  expect((await store.readRun(smoke))?.run.preset).toBe('fast');
  expect((await store.readRun(night))?.run).not.toHaveProperty('preset');
});

test('takes the mean of the two middle trials of an even number', async () => {
  const run = await aNight({ samples: [[1], [2], [4], [50]] });
  expect((await read(run))[0]?.median).toBe(3);
});

test('orders nights by their begin, not by their storing', async () => {
  const later = await aNight({ startedAt: '2026-11-22T00:00:00.000Z', samples: [[2]] });
  const earlier = await aNight({ startedAt: '2026-11-21T00:00:00.000Z', samples: [[1]] });
  expect((await read(earlier)).map(({ run }) => run.id)).toEqual([earlier, later]);
});

test('leaves out other suites, later, unfinished and all but newest runs', async () => {
  const [old, first, second] = [await aNight(), await aNight(), await aNight()];
  await aNight({ suite: 'quick' });
  await aNight({ ends: 'interrupted' });
  await aNight({ ends: 'running' });
  const tonight = await aNight({ ends: 'interrupted' });
  await aNight();
  const ids = async (nights?: number) => (await read(tonight, nights)).map(({ run }) => run.id);
  expect(await ids()).toEqual([old, first, second, tonight]);
  expect(await ids(2)).toEqual([second, tonight]);
});

test('trials that failed or were quarantined do not count, a clean repeat does', async () => {
  const jobs = [cells[0]!, cells[1]!, cells[2]!, makeRepeat(cells[2]!, 9)];
  const run = await store.createRun({ ...makeFacts(jobs), suite: 'nightly' });
  const trials: readonly Trial[] = [
    completed(jobs[0]!, [10]),
    failed(jobs[1]!),
    quarantined(jobs[2]!),
    completed(jobs[3]!, [20]),
  ];
  for (const trial of trials) await store.writeTrial(run, trial);
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  expect(await read(run)).toMatchObject([{ median: 15, trials: 2 }]);
});

test('the version is the one that the browser gave at its launch', async () => {
  const run = await store.createRun({ ...makeFacts([cells[0]!]), suite: 'nightly' });
  const browser = { name: 'chromium', version: '157.1' };
  await store.writeTrial(run, { ...completed(cells[0]!), browser });
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  expect((await read(run))[0]?.target.browser).toEqual(browser);
});

test('a night says how its browser drew, if its trials did', async () => {
  const drawn = aDisplay({ scale: 1.5 });
  const run = await store.createRun({ ...makeFacts([cells[0]!]), suite: 'nightly' });
  const trial = completed(cells[0]!);
  const outcome = aCompletion({ result: aResult([1]), readings: [makeDisplayReading(drawn)] });
  await store.writeTrial(run, { ...trial, outcome });
  const { drawnBy, rasteriser, window, scale } = drawn;
  const expected = [{ drawing: { drawnBy, rasteriser, window, scale } }];
  expect(await read(run)).toMatchObject(expected);
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  expect(await read(run)).toMatchObject(expected);
  // Summaries of an older version, and of another farm.
  for (const strange of [
    `json_set(medians, '$[0][7]', 'GPU')`,
    `json_remove(medians, '$[0][7]')`,
  ]) {
    await connection.all(`UPDATE run_history SET medians = ${strange}`);
    expect(await read(run)).toMatchObject([{ drawing: null }]);
  }
});

test('omits a night without numbers from the history', async () => {
  const run = await store.createRun({ ...makeFacts([cells[0]!]), suite: 'nightly' });
  await store.writeTrial(run, failed(cells[0]!));
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  expect(await read(run)).toEqual([]);
});

test("a finished run's summary equals its trials, or is read from them", async () => {
  const runs = [await aNight({ samples: [[0.1, 0.3], [1 / 3], [3, 4]] }), await aNight()];
  const kept = await read(runs[1]!);
  expect(kept[0]?.values).toEqual([0.2, 1 / 3, 3.5]);
  const forgotten = await connection.transaction('write', () =>
    connection.all('DELETE FROM run_history RETURNING run_id'),
  );
  expect(forgotten).toHaveLength(2);
  expect(await read(runs[1]!)).toEqual(kept);
});

test('omits a night with a negative time in an edited summary', async () => {
  const run = await aNight({ samples: [[1], [2], [3]] });
  await connection.transaction('write', () =>
    connection.all("UPDATE run_history SET medians = replace(medians, '2', '-2')"),
  );
  expect((await read(run))[0]?.values).toEqual([1, 3]);
});

test('reads a continued run from trials and stores its summary again', async () => {
  const [first, second] = cells;
  const run = await store.createRun({
    ...makeFacts([first!, second!]),
    suite: 'nightly',
    setting: { farm: 'dead', document: setting },
  });
  await store.writeTrial(run, completed(first!, [10]));
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  await store.takeOver(run, { farm: 'mine', before: 'dead' });
  await store.writeTrial(run, completed(second!, [20]));
  expect(await read(run)).toMatchObject([{ values: [10, 20] }]);
  await store.finishRun(run, 'finished', '2026-11-21T02:00:00.000Z');
  expect(await read(run)).toMatchObject([{ values: [10, 20] }]);
});

test('reads no table from end to end except the list of runs', async () => {
  const { storedRuns } = await import('./run-summary.ts');
  const plan = await connection.transaction('read', () =>
    connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${storedRuns}`, ['nightly', 1, 100]),
  );
  const details = plan.map(({ detail }) => detail);
  const scanned = details.filter((detail) => detail.startsWith('SCAN'));
  expect(scanned.filter((detail) => !/^SCAN (run|night|\(subquery)/.test(detail))).toEqual([]);
  expect(details.filter((detail) => detail.startsWith('SEARCH'))).toHaveLength(7);
});
