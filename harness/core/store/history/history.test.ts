import { expect, test } from '@playwright/test';
import type { History, HistoryFilter, Page, PageWanted } from '../../model/history.ts';
import { aStoredHistory, nightJobs, storeNight } from '../../../testing/stored-history.ts';
import { aTrial } from '../../../testing/builders.ts';
import { connect, type Connection } from '../connection.ts';
import { openStore } from '../store.ts';
import { openHistory } from './history.ts';
import { nameSql } from './runs.ts';
import { seriesSql } from './series.ts';
import { trialsSql } from './trials.ts';

let path: string;
let history: History;

test.beforeEach(async () => {
  path = await aStoredHistory();
  history = await openHistory(path);
});

test.afterEach(() => history.close());

const all: PageWanted = { limit: 500, after: null };

const series = async (filter: HistoryFilter) => (await history.series(filter, all)).rows;
const trials = async (filter: HistoryFilter) => (await history.trials(filter, all)).rows;

/** Everything, page by page. */
async function walk<Row>(
  limit: number,
  read: (page: PageWanted) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let after: PageWanted['after'] = null;
  do {
    const page: Page<Row> = await read({ limit, after });
    expect(page.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...page.rows);
    after = page.next;
  } while (after !== null);
  return rows;
}

test('a series has every trial of its case on its target alone', async () => {
  const [one, ...others] = await series({
    run: 2,
    case: 'fib function=asyncFib n=12',
    browser: ['chromium'],
  });
  expect(others).toEqual([]);
  expect(one).toMatchObject({
    run: 2,
    device: 'chromium',
    family: 'chromium-based',
    driver: 'playwright',
    os: 'linux',
    system: 'Debian GNU/Linux 12',
    cores: 2,
    version: '1.2.3',
    benchmark: 'fib',
    metric: 'duration',
    unit: 'ms',
    planned: 3,
    parameters: { function: 'asyncFib', n: 12 },
  });
  expect(one!.trials.map(({ value }) => value)).toEqual([24, 25, 26]);
});

test('takes series from the newest run first, none for a missing device', async () => {
  const rows = await series({});
  expect(rows.map(({ run }) => run)).toEqual([...Array(12).fill(2), ...Array(12).fill(1)]);
  expect(new Set(rows.map(({ device }) => device))).toEqual(new Set(['chromium', 'firefox']));
});

test('a program is counted in the family that its owner declared', async () => {
  const connection = await connect(path);
  await connection.execute(
    "UPDATE target SET product = 'program', family = 'webkit-based' WHERE device = 'chromium'",
  );
  await connection.close();
  const rows = await series({ family: ['webkit-based'] });
  expect(rows).toHaveLength(12);
  expect(rows[0]).toMatchObject({ browser: 'program', family: 'webkit-based' });
  expect(await series({ family: ['program'] })).toEqual([]);
  expect((await history.filterValues()).families).toEqual(['firefox-based', 'webkit-based']);
});

test('failed and quarantined trials are in their series, marked', async () => {
  const rows = await series({ run: 1, browser: ['firefox'] });
  const found = rows.flatMap((one) => one.trials);
  expect(found.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
    { quarantine: [], value: null },
  ]);
  expect(found.filter(({ quarantine }) => quarantine.length > 0)).toMatchObject([
    { outcome: 'completed', isRepeat: false, value: 1000 },
  ]);
});

for (const [what, filter, count] of [
  ['a run', { run: 1 }, 12],
  ['the latest run', { run: 'latest' }, 12],
  ['a run that nobody made', { run: 99 }, 0],
  ['a benchmark', { benchmark: 'fib' }, 24],
  ['a benchmark that nobody ran', { benchmark: 'nope' }, 0],
  ['a case', { case: 'fib function=syncFib n=10' }, 4],
  ['a metric', { metric: 'duration' }, 24],
  ['a metric that nobody has', { metric: 'calls' }, 0],
  ['a device', { device: ['firefox'] }, 12],
  ['several browsers', { browser: ['firefox', 'chromium', 'safari'] }, 24],
  ['a family', { family: ['firefox-based'] }, 12],
  ['a family and a browser of another', { family: ['firefox-based'], browser: ['chromium'] }, 0],
  ['an operating system', { os: ['linux'] }, 24],
  ['another operating system', { os: ['windows'] }, 0],
  ['a number of cores', { cores: [2] }, 24],
  ['another number of cores', { cores: [3] }, 0],
  ['a driver', { driver: ['puppeteer'] }, 12],
  ['a version', { version: ['1.2.3'] }, 24],
  ['another version', { version: ['1.2'] }, 0],
] as const satisfies readonly (readonly [string, HistoryFilter, number])[]) {
  test(`series and trials are narrowed by ${what}`, async () => {
    expect(await series(filter)).toHaveLength(count);
    // Three trials of each series.
    expect(await trials(filter)).toHaveLength(3 * count);
  });
}

test('trials are narrowed by their outcome, and say why they failed', async () => {
  const failed = await trials({ outcome: 'failed' });
  expect(failed.map(({ run, device }) => [run, device])).toEqual([
    [2, 'firefox'],
    [1, 'firefox'],
  ]);
  expect(failed[0]).toMatchObject({ failureCode: 'page-error', values: [] });
  expect(failed[0]!.message).toContain('<script>');
});

for (const limit of [1, 5, 500]) {
  test(`pages of ${String(limit)} hold every row once, in one order`, async () => {
    const seriesKeys = (await walk(limit, (page) => history.series({}, page))).map(
      (one) => `${String(one.run)} ${one.device} ${one.case}`,
    );
    expect(seriesKeys).toHaveLength(24);
    expect(new Set(seriesKeys).size).toBe(24);
    const ids = (await walk(limit, (page) => history.trials({}, page))).map(({ trial }) => trial);
    expect(ids).toEqual((await trials({})).map(({ trial }) => trial));
    const cells = await walk(limit, async (page) => (await history.cells(1, page))!);
    expect(cells.map(({ ordinal }) => ordinal)).toEqual(cells.map((_, index) => index));
    expect(cells).toHaveLength(36);
    const runs = await walk(limit, (page) => history.runs(null, page));
    expect(runs.map(({ id }) => id)).toEqual([2, 1]);
  });
}

test('a missing row is null, not an error', async () => {
  expect(await history.run(99)).toBeNull();
  expect(await history.cells(99, all)).toBeNull();
  expect(await history.trial(9_999)).toBeNull();
  const [one] = await trials({ outcome: 'completed' });
  expect(await history.trial(one!.trial)).toMatchObject({ trial: one!.trial, steadyState: null });
  expect(await history.progress(99)).toBeNull();
});

/** Steps by which SQLite reads both kinds of pages. */
async function stepsOfPages(connection: Connection): Promise<readonly string[]> {
  const rows: { detail: string }[] = [];
  for (const sql of [seriesSql, trialsSql]) {
    rows.push(...(await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)));
  }
  return rows.map(({ detail }) => detail);
}

test("reaches a page by indexes and sorts only one case's metrics", async () => {
  const connection = await connect(path);
  const sorts = async () =>
    (await stepsOfPages(connection)).filter(
      (step) => step.includes('TEMP B-TREE') && !step.endsWith('FOR LAST TERM OF ORDER BY'),
    );
  expect(await sorts()).toEqual([]);
  for (const table of ['target', 'benchmark', 'case', 'cell', 'trial', 'sample', 'metric']) {
    expect(await stepsOfPages(connection)).not.toContainEqual(
      expect.stringMatching(`^SCAN ${table}\\b`),
    );
  }
  // SQLite may have counted the rows, after which it plans again.
  await connection.execute('ANALYZE');
  expect(await sorts()).toEqual([]);
  await connection.close();
});

test('the name of a run is found by indexes', async () => {
  expect((await history.run(1))?.name).toMatch(/^quick, chromium, /);
  const connection = await connect(path);
  const steps = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${nameSql}`);
  const scanned = steps.filter(({ detail }) => /^SCAN (?!CONSTANT|\(subquery)/.test(detail));
  expect(scanned).toEqual([]);
  await connection.close();
});

test('the filters are those that occur, of the newest declarations', async () => {
  expect(await history.filterValues()).toMatchObject({
    benchmarks: [
      {
        benchmark: 'fib',
        growthOver: 'n',
        explorable: true,
        metrics: [{ metric: 'duration', unit: 'ms' }],
        parameters: [{ name: 'function' }, { name: 'n', minimum: 1, maximum: 40 }],
      },
    ],
    devices: ['chromium', 'firefox'],
    browsers: ['chromium', 'firefox'],
    families: ['chromium-based', 'firefox-based'],
    operatingSystems: ['linux'],
    cores: [2],
    drivers: ['playwright', 'puppeteer'],
    runs: [
      { run: 2, status: 'finished' },
      { run: 1, status: 'finished' },
    ],
  });
});

test('lists devices as the newest run found them, missing with reasons', async () => {
  const devices = await history.devices();
  expect(devices.map(({ device, status, run }) => [device, status, run])).toEqual([
    ['chromium', 'found', 2],
    ['firefox', 'found', 2],
    ['safari', 'missing', 2],
  ]);
  expect(devices[2]!.reason).toBe('safari is not installed');
});

test('pooled trials are those that count, of every run', async () => {
  const targets = (await history.targets()).map(({ target }) => target);
  const pooled = await history.pooled({
    benchmark: 'fib',
    metric: 'duration',
    targets,
    limit: 100,
    parameters: { function: 'syncFib' },
    most: { n: 11 },
  });
  expect(new Set(pooled.map(({ parameters }) => parameters['n']))).toEqual(new Set([10, 11]));
  // Two runs × two values of n × two browsers × three blocks, less what failed or is quarantined.
  const spoilt = pooled.filter(({ value }) => value === 1_000);
  expect(spoilt).toEqual([]);
  expect(pooled.length).toBe(24 - 2);
});

for (const [what, value] of [
  ['below 0', -1],
  ['longer than its trial', 1e7],
] as const) {
  test(`a trial with a duration ${what} counts as failed`, async () => {
    const [first] = await trials({
      run: 2,
      case: 'fib function=syncFib n=10',
      device: ['chromium'],
    });
    const connection = await connect(path);
    await connection.all('UPDATE trial_metric SET value = ?1 WHERE trial_id = ?2', [
      value,
      first!.trial,
    ]);
    await connection.close();
    const [one] = await series({ run: 2, case: first!.case, device: ['chromium'] });
    expect(one!.trials.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
    expect(one!.trials.map((trial) => trial.value)).not.toContain(value);
    const targets = (await history.targets()).map(({ target }) => target);
    const wanted = { benchmark: 'fib', metric: 'duration', parameters: {}, most: {}, limit: 99 };
    const pooled = await history.pooled({ ...wanted, targets });
    expect(pooled.map(({ trial }) => trial)).not.toContain(first!.trial);
  });
}

test('trials of two versions of a benchmark are never pooled: the newest counts', async () => {
  const connection = await connect(path);
  await connection.all('UPDATE benchmark SET version = version + 1 WHERE run_id = 2');
  await connection.close();
  const targets = (await history.targets()).map(({ target }) => target);
  const wanted = { benchmark: 'fib', metric: 'duration', targets, limit: 100 };
  const pooled = await history.pooled({ ...wanted, parameters: { function: 'syncFib' }, most: {} });
  const runs = await Promise.all(
    pooled.map(async ({ trial }) => (await history.trial(trial))?.run),
  );
  expect(new Set(runs)).toEqual(new Set([2]));
});

test('trials of a smoke test are not pooled with others', async () => {
  const connection = await connect(path);
  await connection.all("UPDATE run SET preset = 'fast' WHERE id = 1");
  await connection.close();
  const targets = (await history.targets()).map(({ target }) => target);
  const wanted = { benchmark: 'fib', metric: 'duration', targets, limit: 100 };
  const pooled = await history.pooled({ ...wanted, parameters: { function: 'syncFib' }, most: {} });
  const runs = await Promise.all(
    pooled.map(async ({ trial }) => (await history.trial(trial))?.run),
  );
  expect(new Set(runs)).toEqual(new Set([2]));
});

test("a running run's counts grow and its last change moves", async () => {
  const store = await openStore(path);
  const before = await history.lastChange();
  expect(await history.lastChange()).toBe(before);
  const run = await storeNight(store, {
    startedAt: '2026-11-22T00:00:00.000Z',
    blocks: 1,
    finished: false,
  });
  expect(await history.lastChange()).not.toBe(before);
  const seen = (await history.progress(run))!;
  expect(seen).toMatchObject({
    status: 'running',
    counts: { planned: 12, completed: 11, failed: 1 },
  });
  expect(seen.recent).toHaveLength(5);
  expect(seen.recent[0]!.trial).toBeGreaterThan(seen.recent[1]!.trial);
  // The latest run is the last one that is done, so that a night in progress hides no results.
  expect((await series({ run: 'latest' }))[0]!.run).toBe(2);
  await store.finishRun(run, 'interrupted', '2026-11-22T01:00:00.000Z');
  expect(await history.progress(run)).toMatchObject({ status: 'interrupted', recent: [] });
  await store.close();
});

test('a cell without an outcome is planned, and nothing else', async () => {
  const store = await openStore(path);
  const jobs = nightJobs(1);
  const { presences } = (await store.readRun(1))!;
  const { run } = (await store.readRun(1))!;
  const id = await store.createRun({ ...run, presences, jobs });
  await store.writeTrial(id, aTrial(jobs[0]!, [1, 2, 3]));
  const [first, second] = (await history.cells(id, all))!.rows;
  expect(first).toMatchObject({ ordinal: 0, outcome: 'completed' });
  expect(second).toMatchObject({ ordinal: 1, outcome: null, trial: null });
  const planned = await series({ run: id });
  expect(planned.map((one) => [one.planned, one.trials.length])).toContainEqual([1, 0]);
  await store.close();
});
