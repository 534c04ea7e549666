import { expect, test } from '@playwright/test';
import { type Job, timeKey } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { connect, type Connection } from './connection.ts';
import {
  benchmark,
  completed,
  makeFacts,
  failed,
  makeJobs,
  quarantined,
  makeRepeat,
} from './fixtures/example.ts';
import { createStore, openStore, type Store } from './store.ts';
import { migrate } from './migrate.ts';

let connection: Connection;
let store: Store;

test.beforeEach(async () => {
  connection = await connect(test.info().outputPath('farm.db'));
  await migrate(connection);
  store = createStore(connection);
});

test.afterEach(() => store.close());

/** Runs one statement as a person with plain SQL would. */
function sql<Row>(statement: string): Promise<readonly Row[]> {
  return connection.transaction('write', () => connection.all<Row>(statement));
}

const end = '2026-11-21T01:00:00.000Z';

test('a run comes back as stored, with cells without outcome', async () => {
  const facts = makeFacts(makeJobs(4));
  const id = await store.createRun(facts);
  const { presences: found, jobs, ...run } = facts;
  expect(await store.readRun(id)).toEqual({
    run: { id, ...run, status: 'running', finishedAt: null },
    presences: found,
    jobs,
    trials: [],
  });
});

test("returns trials in the plan's order after any order of writing", async () => {
  const jobs = makeJobs(3);
  const id = await store.createRun(makeFacts(jobs));
  const trials: Trial[] = [completed(jobs[0]!), failed(jobs[1]!), completed(jobs[2]!, [5])];
  for (const trial of trials.toReversed()) await store.writeTrial(id, trial);
  expect((await store.readRun(id))!.trials).toEqual(trials);
});

test('the latest run is the one that was made last', async () => {
  expect(await store.readRun('latest')).toBeNull();
  const first = await store.createRun(makeFacts(makeJobs(1)));
  const second = await store.createRun(makeFacts(makeJobs(2)));
  expect((await store.readRun('latest'))!.run.id).toBe(second);
  expect((await store.readRun(first))!.jobs).toHaveLength(1);
  expect(await store.readRun(99)).toBeNull();
});

test('lists runs with counts, newest first, and stores a machine once', async () => {
  const jobs = makeJobs(4);
  const first = await store.createRun(makeFacts(jobs));
  const second = await store.createRun(makeFacts([]));
  await store.writeTrial(first, completed(jobs[0]!));
  await store.writeTrial(first, failed(jobs[1]!));
  await store.writeTrial(first, {
    ...failed(jobs[2]!),
    outcome: { kind: 'timed-out', failure: { code: 'timed-out', message: 'no answer' } },
  });
  const counts = { planned: 4, completed: 1, failed: 1, timedOut: 1, skipped: 0 };
  expect(await store.counts(first)).toEqual(counts);
  const ofOne = { planned: 2, completed: 0, failed: 0, timedOut: 0, skipped: 0 };
  expect(await store.deviceCounts(first)).toEqual(
    new Map([
      ['chromium', { ...ofOne, completed: 1, timedOut: 1 }],
      ['safari', { ...ofOne, failed: 1 }],
    ]),
  );
  expect((await store.listRuns()).map((run) => [run.id, run.counts])).toEqual([
    [second, { planned: 0, completed: 0, failed: 0, timedOut: 0, skipped: 0 }],
    [first, counts],
  ]);
  expect(await sql('SELECT id FROM machine')).toHaveLength(1);
});

test('learns trial lengths by case and device from earlier runs', async () => {
  const jobs = makeJobs(4);
  const wallMs = [1_000, 2_000, 4_000];
  const first = await store.createRun(makeFacts(jobs));
  for (const [index, ms] of wallMs.entries()) {
    await store.writeTrial(first, { ...completed(jobs[index]!), wallMs: ms });
  }
  const times = await store.recentTimes();
  const expected = new Map<string, number[]>();
  for (const [index, ms] of wallMs.entries()) {
    const key = timeKey(jobs[index]!);
    expected.set(key, [...(expected.get(key) ?? []), ms]);
  }
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  expect(times).toEqual(new Map([...expected].map(([key, of]) => [key, mean(of)])));
});

test('an interrupted run can be finished later', async () => {
  const jobs = makeJobs(1);
  const id = await store.createRun(makeFacts(jobs));
  await store.finishRun(id, 'interrupted', end);
  await store.writeTrial(id, completed(jobs[0]!));
  await store.finishRun(id, 'finished', end);
  expect((await store.readRun(id))!.run).toMatchObject({ status: 'finished', finishedAt: end });
});

test('a run can plan more cells of its own cases only', async () => {
  const jobs = makeJobs(4);
  const id = await store.createRun(makeFacts(jobs.slice(0, 2)));
  await store.addJobs(id, jobs.slice(2));
  await store.writeTrial(id, completed(jobs[3]!));
  expect((await store.readRun(id))!.jobs).toEqual(jobs);
  const other = { ...jobs[0]!.case, parameters: { function: 'asyncFib', n: '20' } };
  await expect(store.addJobs(id, [{ ...jobs[0]!, ordinal: 4, case: other }])).rejects.toThrow(
    /fib function=asyncFib n=20 .*chromium/,
  );
  expect(await store.counts(id)).toMatchObject({ planned: 4, completed: 1 });
});

test('a quarantined trial keeps samples and reasons, its repeat is planned', async () => {
  const jobs = makeJobs(2);
  const id = await store.createRun(makeFacts(jobs));
  const repeat = makeRepeat(jobs[0]!, 2);
  const trials = [quarantined(jobs[0]!), failed(jobs[1]!), completed(repeat)];
  await store.writeTrial(id, trials[0]!);
  await store.addJobs(id, [repeat]);
  await store.writeTrial(id, trials[2]!);
  await store.writeTrial(id, trials[1]!);
  const record = (await store.readRun(id))!;
  expect(record.jobs).toEqual([...jobs, repeat]);
  expect(record.trials).toEqual(trials);
  expect(await store.counts(id)).toEqual({
    planned: 3,
    completed: 2,
    failed: 1,
    timedOut: 0,
    skipped: 0,
  });
  expect(
    await sql('SELECT block, median, quarantine FROM result WHERE quarantine IS NULL'),
  ).toHaveLength(1);
  expect(await sql('SELECT quarantine FROM result WHERE quarantine IS NOT NULL')).toEqual([
    { quarantine: 'it was busy; it was "hot"' },
  ]);
});

test('stores a run with its repeats at once, as for an import', async () => {
  const jobs = makeJobs(2);
  const all = [...jobs, makeRepeat(jobs[0]!, 2)];
  const id = await store.createRun(makeFacts(all));
  expect((await store.readRun(id))!.jobs).toEqual(all);
});

test.describe('a repeat is refused', () => {
  const impossible: readonly [string, (job: Job) => readonly Job[], string][] = [
    [
      'of a cell that is not planned',
      (job) => [{ ...makeRepeat(job, 5), repeats: 4 }],
      'repeats a',
    ],
    ['in another block', (job) => [{ ...makeRepeat(job, 5), block: 1 }], 'repeats a'],
    ['on another target', (job) => [{ ...makeRepeat(job, 5), deviceId: 'safari' }], 'repeats a'],
    ['a second time', (job) => [makeRepeat(job, 5), makeRepeat(job, 6)], 'UNIQUE'],
    ['of a repeat', (job) => [makeRepeat(job, 5), makeRepeat(makeRepeat(job, 5), 6)], 'repeats a'],
  ];
  for (const [what, repeats, reason] of impossible) {
    test(what, async () => {
      const jobs = makeJobs(2);
      const id = await store.createRun(makeFacts(jobs));
      await expect(store.addJobs(id, repeats(jobs[0]!))).rejects.toThrow(reason);
      expect((await store.readRun(id))!.jobs).toEqual(jobs);
    });
  }
});

test('a run that is not there is unknown', async () => {
  await expect(store.counts(7)).rejects.toMatchObject({ code: 'unknown-run' });
  await expect(store.finishRun(7, 'finished', end)).rejects.toMatchObject({ code: 'unknown-run' });
});

test('an old run keeps the declaration that it was made with', async () => {
  const old = await store.createRun(makeFacts(makeJobs(1)));
  const changed = { ...benchmark, version: 4, title: 'New', metrics: benchmark.metrics.slice(1) };
  const [job] = makeJobs(1);
  const now = await store.createRun(
    makeFacts([{ ...job!, case: { ...job!.case, benchmark: changed } }]),
  );
  expect((await store.readRun(old))!.jobs[0]!.case.benchmark).toEqual(benchmark);
  expect((await store.readRun(now))!.jobs[0]!.case.benchmark).toEqual(changed);
});

test('calls at the same time do not mix their transactions', async () => {
  const jobs = makeJobs(20);
  const id = await store.createRun(makeFacts(jobs));
  const writes = jobs.map((job) => store.writeTrial(id, completed(job)));
  const again = store.writeTrial(id, completed(jobs[3]!));
  await expect(again).rejects.toThrow('UNIQUE');
  await Promise.all(writes);
  expect(await store.counts(id)).toMatchObject({ planned: 20, completed: 20 });
});

test.describe('refuses contradictions, and stores nothing of them', () => {
  const tables = ['trial', 'sample', 'attempt', 'probe_reading'];
  const sizes = async (): Promise<unknown> =>
    Promise.all(tables.map((table) => sql(`SELECT count(*) AS rows FROM ${table}`)));

  const impossible: readonly [string, (jobs: ReturnType<typeof makeJobs>) => Trial, string][] = [
    ['a cell of another run', (jobs) => completed({ ...jobs[0]!, ordinal: 50 }), 'no such cell'],
    ['a cell in another block', (jobs) => completed({ ...jobs[0]!, block: 9 }), 'no such cell'],
    [
      'a case that was not planned',
      ([job]) => completed({ ...job!, case: { ...job!.case, parameters: { n: 1 } } }),
      'no such cell',
    ],
    ['a sample that is no number', ([job]) => completed(job!, [1, Number.NaN]), 'NOT NULL'],
    [
      'a metric that was not declared',
      ([job]) => {
        const trial = completed(job!);
        const samples = [{ metric: 'speed', unit: 'ms', warmUp: [], timed: [1] }];
        const outcome = trial.outcome as Extract<Trial['outcome'], { kind: 'completed' }>;
        return { ...trial, outcome: { ...outcome, result: { ...outcome.result, samples } } };
      },
      'no metric "speed" in ms',
    ],
  ];
  for (const [what, make, reason] of impossible) {
    test(what, async () => {
      const jobs = makeJobs(2);
      const id = await store.createRun(makeFacts(jobs));
      const before = await sizes();
      await expect(store.writeTrial(id, make(jobs))).rejects.toThrow(reason);
      expect(await sizes()).toEqual(before);
      await store.writeTrial(id, completed(jobs[0]!));
    });
  }

  test('a job on a device that the run does not have', async () => {
    const [job] = makeJobs(1);
    const facts = makeFacts([{ ...job!, deviceId: 'nobody' }]);
    await expect(store.createRun(facts)).rejects.toThrow('"nobody"');
    expect(await store.listRuns()).toEqual([]);
  });

  const statements: readonly [string, string, string][] = [
    [
      'a completed trial with a failure',
      `UPDATE trial SET failure_code = 'farm-error', failure_message = 'x' WHERE outcome = 'completed'`,
      'CHECK',
    ],
    ['a completed trial without a clock', 'UPDATE trial SET granule_us = NULL', 'CHECK'],
    [
      'a failed trial without a failure',
      `UPDATE trial SET failure_code = NULL WHERE outcome = 'failed'`,
      'CHECK',
    ],
    [
      'a failed trial with samples',
      `INSERT INTO trial_metric (trial_id, metric_id, position) SELECT id, 1, 0 FROM trial WHERE outcome = 'failed'`,
      'only a completed trial has samples',
    ],
    [
      'a failed trial with readings',
      `INSERT INTO probe_reading SELECT id, 'cpu-core', 0, 'no', NULL, NULL FROM trial WHERE outcome = 'failed'`,
      'only a completed trial has readings',
    ],
    [
      'a failed trial with a reading of a declared probe',
      `INSERT INTO declared_reading SELECT id, 'fan', 0, 'no', NULL, NULL FROM trial WHERE outcome = 'failed'`,
      'only a completed trial has readings',
    ],
    [
      'a built-in probe among the declared ones',
      `INSERT INTO declared_reading SELECT id, 'sched', 9, 'no', NULL, NULL FROM trial WHERE outcome = 'completed'`,
      'CHECK',
    ],
    [
      'a failed trial that is quarantined',
      `UPDATE trial SET quarantine = '["busy"]' WHERE outcome = 'failed'`,
      'CHECK',
    ],
    [
      'a quarantine without a reason',
      `UPDATE trial SET quarantine = '[]' WHERE outcome = 'completed'`,
      'CHECK',
    ],
    ['an outcome that changes', `UPDATE trial SET outcome = 'skipped'`, 'final'],
    [
      'an unknown outcome',
      `INSERT INTO trial (cell_id, outcome, started_at, wall_ms) VALUES (3, 'won', '', 0)`,
      'CHECK',
    ],
    [
      'a second outcome of one cell',
      `INSERT INTO trial (cell_id, outcome, started_at, wall_ms, reason, remedy)
       SELECT cell_id, 'skipped', started_at, 0, 'r', 'm' FROM trial WHERE id = 1`,
      'UNIQUE',
    ],
    [
      'a sample without its trial',
      `INSERT INTO sample VALUES (99, 1, 'timed', 0, 1)`,
      'FOREIGN KEY',
    ],
    [
      'a finished run without an end',
      `UPDATE run SET status = 'finished', finished_at = NULL`,
      'CHECK',
    ],
    [
      'a found device with a reason for being missing',
      `UPDATE target SET reason = 'r', remedy = 'm' WHERE status = 'found'`,
      'CHECK',
    ],
    ['text where a number belongs', `UPDATE trial SET wall_ms = 'long'`, 'cannot store TEXT'],
    [
      'threads under a reading of cores',
      `INSERT INTO thread_reading VALUES (1, 0, 1, 1, 'p', 'n', 'gc', 1, 0)`,
      'FOREIGN KEY',
    ],
  ];
  for (const [what, statement, reason] of statements) {
    test(`${what}, by plain SQL`, async () => {
      const jobs = makeJobs(3);
      const id = await store.createRun(makeFacts(jobs));
      await store.writeTrial(id, completed(jobs[0]!));
      await store.writeTrial(id, failed(jobs[1]!));
      const before = await store.readRun(id);
      await expect(sql(statement)).rejects.toThrow(reason);
      expect(await store.readRun(id)).toEqual(before);
    });
  }
});

test('the view has a row per completed trial and metric with medians', async () => {
  const jobs = makeJobs(6);
  const id = await store.createRun(makeFacts(jobs));
  const samples = [[3, 1, 2], [4, 1, 3, 2], [10], []];
  for (const [index, timed] of samples.entries()) {
    await store.writeTrial(id, completed(jobs[index]!, timed));
  }
  await store.writeTrial(id, failed(jobs[4]!));
  const rows = await sql<Record<string, unknown>>('SELECT * FROM result ORDER BY trial');
  expect(rows.map((row) => row['median'])).toEqual([2, 2.5, 10, null]);
  expect(await sql('SELECT median FROM trial_metric ORDER BY trial_id')).toEqual(
    rows.map(({ median }) => ({ median })),
  );
  expect(rows[0]).toEqual({
    run: id,
    suite: 'quick',
    isolation: 'session',
    block: 0,
    device: 'chromium',
    driver: 'playwright',
    browser: 'chromium',
    version: '156.0',
    benchmark: 'fib',
    benchmark_version: 3,
    case: 'fib function=asyncFib n=20',
    parameters: '{"function":"asyncFib","n":20}',
    metric: 'duration',
    median: 2,
    value: 2,
    unit: 'ms',
    direction: 'lower',
    steadiness: 'steady',
    granule_us: 5,
    isolated: 1,
    repeats: 7,
    started_at: '2026-11-21T00:00:01.000Z',
    trial: 1,
    quarantine: null,
    emulation: null,
  });
});

test('a store that was closed and opened again has everything', async () => {
  const jobs = makeJobs(1);
  const id = await store.createRun(makeFacts(jobs));
  await store.writeTrial(id, completed(jobs[0]!));
  const before = await store.readRun(id);
  await store.close();
  store = await openStore(store.path);
  expect(await store.readRun(id)).toEqual(before);
});

test('interrupts an endless statement and keeps the connection usable', async () => {
  const over = new AbortController();
  const endless = connection.interruptible(over.signal, () =>
    sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'),
  );
  over.abort(new Error('it takes too long'));
  await expect(endless).rejects.toThrow('it takes too long');
  expect(await sql('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

for (const [what, change] of [
  ['a sample', 'UPDATE sample SET value = 1.7e308 WHERE iteration = 0'],
  ['a counter', 'UPDATE counter SET value = 1e-300'],
  ['a granule', 'UPDATE trial SET granule_us = 9e999'],
] as const) {
  test(`a stored trial with ${what} that nothing can have measured counts as failed`, async () => {
    const jobs = makeJobs(4);
    const id = await store.createRun(makeFacts(jobs));
    await store.writeTrial(id, completed(jobs[0]!, [1, 2, 3]));
    expect((await store.readRun(id))?.trials[0]?.outcome.kind).toBe('completed');
    await sql(change);
    expect((await store.readRun(id))?.trials[0]).toMatchObject({
      outcome: { kind: 'failed', failure: { code: 'bad-message' } },
      failedAttempts: expect.arrayContaining([
        expect.objectContaining({ failure: expect.objectContaining({ code: 'bad-message' }) }),
      ]),
    });
  });
}
