import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, sum } from 'simple-statistics';
import type { RunRecord } from '../core/model/run.ts';
import type { Trial } from '../core/model/trial.ts';
import { defaultMeasurement } from '../core/plan/catalog/measurement.ts';
import { crossArms, makePlan } from '../core/plan/plan.ts';
import { farmVersion } from '../core/project.ts';
import { runPlan } from '../core/run/runner.ts';
import { describeMachine } from '../core/setup/machine.ts';
import type { ImportedRun } from '../core/store/import-runs.ts';
import { openStore, type Store } from '../core/store/store.ts';
import { controlCase, foundDevices, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';
import { countRows, dumpTables, importDump, shellVersion } from './sqlite-shell.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

/** The trials that are stored at once, and those that are stored one by one. */
const wanted = 2_000;
const alone = 200;
const rounds = 5;

/**
 * Measures how fast trials are stored, compared with the `sqlite3` shell that imports the same rows
 * from CSV files, in turns; and the size of a trial, with every core sampled every 20 ms.
 */
export async function insertBench(): Promise<readonly BenchRow[]> {
  const measured = await measuredTrials();
  if (measured.trials.length === 0) return [noRow('no browser is here that could give trials')];
  const record = manyTimes(measured, Math.ceil(wanted / measured.trials.length));
  const folder = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  try {
    const path = join(folder, 'rows.db');
    await storeAtOnce(path, record);
    return [
      await spaceRow(folder, path, record),
      await aloneRow(folder, record),
      ...(await besideShell(folder, path, record)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stores a record as `farm db import` does: in one transaction, synced at its end. */
async function storeAtOnce(path: string, record: RunRecord): Promise<number> {
  const store = await openStore(path);
  const startedAt = performance.now();
  await store.importRuns(only({ identity: 'bench', record }));
  await store.close();
  return performance.now() - startedAt;
}

async function* only(run: ImportedRun): AsyncGenerator<ImportedRun> {
  yield await Promise.resolve(run);
}

async function spaceRow(folder: string, path: string, record: RunRecord): Promise<BenchRow> {
  const empty = join(folder, 'empty.db');
  await (await openStore(empty)).close();
  const bytes = (await stat(path)).size - (await stat(empty)).size;
  const value = bytes / record.trials.length;
  const figure = 'bytes of a trial on disk, cores sampled every 20 ms';
  return { bench: 'insert', figure, value, unit: 'bytes', ratio: null, detail: describe(record) };
}

/** Describes the content of a trial, by medians. */
function describe({ trials, run }: RunRecord): string {
  const results = trials.flatMap(({ outcome }) => (outcome.kind === 'completed' ? [outcome] : []));
  const samples = results.map(({ result }) =>
    sum(result.samples.map(({ warmUp, timed }) => warmUp.length + timed.length)),
  );
  const readings = results.flatMap((one) => one.readings);
  const windows = readings.flatMap((one) =>
    one.probe === 'cpu-core' && 'snapshots' in one ? [one] : [],
  );
  const threads = readings.flatMap((one) =>
    one.probe === 'cpu-thread' && 'threads' in one ? [one.threads.length] : [],
  );
  const middle = (values: readonly number[]): string =>
    values.length === 0 ? '0' : median([...values]).toFixed(0);
  return [
    `${middle(samples)} samples`,
    `a window of ${middle(windows.map(({ wallMs }) => wallMs))} ms on ${String(run.machine.logicalCores)} cores (${middle(windows.map(({ snapshots }) => snapshots.length))} snapshots)`,
    `${middle(threads)} threads; medians of real trials`,
  ].join(', ');
}

/** Stores trials as a run does: each is synced before the next begins. */
async function aloneRow(folder: string, record: RunRecord): Promise<BenchRow> {
  const store = await openStore(join(folder, 'alone.db'));
  const times = await timeWrites(store, record, alone).finally(() => store.close());
  return {
    bench: 'insert',
    figure: 'a trial stored alone, as a run does',
    unit: 'ms',
    ratio: null,
    value: median([...times]),
    detail: `median of ${String(times.length)}, each one transaction that is synced`,
  };
}

/** Milliseconds of each of the first `count` trials of a record, stored one by one as a new run. */
export async function timeWrites(
  store: Store,
  { run, presences, jobs, trials }: RunRecord,
  count: number,
): Promise<readonly number[]> {
  const { suite, seed, isolation, command, farmVersion, machine, startedAt } = run;
  const facts = { suite, seed, isolation, command, farmVersion, machine, startedAt };
  const id = await store.createRun({ ...facts, presences, jobs });
  const times: number[] = [];
  for (const trial of trials.slice(0, count)) {
    const before = performance.now();
    await store.writeTrial(id, trial);
    times.push(performance.now() - before);
  }
  return times;
}

async function besideShell(
  folder: string,
  path: string,
  record: RunRecord,
): Promise<readonly BenchRow[]> {
  const version = await shellVersion();
  if (version === null) return [noRow('there is no sqlite3 shell')];
  const dump = await dumpTables(path, folder);
  const rows = await countRows(path);
  const ours: number[] = [];
  const shell: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await storeAtOnce(join(folder, `ours-${String(round)}.db`), record));
    shell.push(await importDump(dump, join(folder, `shell-${String(round)}.db`)));
  }
  const rate = (times: readonly number[]): number => (1000 * rows) / median([...times]);
  const of = `${String(rows)} rows of ${String(record.trials.length)} trials, median of ${String(rounds)} in turns`;
  const base = { bench: 'insert', unit: 'rows/s' };
  return [
    {
      ...base,
      figure: '.import of the sqlite3 shell',
      value: rate(shell),
      ratio: 1,
      detail: `${of}; version ${version}, its tables have keys and indexes, and no checks, triggers or foreign keys`,
    },
    {
      ...base,
      figure: `trials stored at once, as ${npxCrossfarm} db import does`,
      value: rate(ours),
      ratio: rate(ours) / rate(shell),
      detail: `${of}; all that the schema checks is checked`,
    },
  ];
}

function noRow(because: string): BenchRow {
  return {
    bench: 'insert',
    figure: 'not measured',
    value: NaN,
    unit: '',
    ratio: null,
    detail: because,
  };
}

const blocks = 4;

/** Measures a few trials of `control` with the default probes, on every available browser. */
async function measuredTrials(): Promise<RunRecord> {
  const presences = await foundDevices();
  const startedAt = new Date().toISOString();
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks,
    measurement: defaultMeasurement,
    presences,
    arms: crossArms(presences, [await controlCase({})]),
    repeatQuarantined: false,
  });
  const trials = await withRig(async (equipment) => {
    const seen: Trial[] = [];
    for await (const trial of runPlan(plan, { ...equipment, listener: {} })) seen.push(trial);
    return seen;
  });
  const run = {
    ...({ id: 1, suite: 'bench', seed: 1, isolation: 'session', status: 'finished' } as const),
    command: 'npm run bench -- insert',
    farmVersion: farmVersion(),
    machine: describeMachine(),
    startedAt,
    finishedAt: new Date().toISOString(),
  };
  const completed = trials.filter(({ outcome }) => outcome.kind === 'completed');
  return { run, presences, jobs: completed.map(({ job }) => job), trials: completed };
}

/** Repeats the trials the given number of times, each time in later blocks. */
function manyTimes(record: RunRecord, times: number): RunRecord {
  const perTime = Math.max(0, ...record.jobs.map(({ ordinal }) => ordinal)) + 1;
  const trials = Array.from({ length: times }, (_, time) =>
    record.trials.map((trial): Trial => {
      const { job } = trial;
      const [block, ordinal] = [job.block + time * blocks, job.ordinal + time * perTime];
      return { ...trial, job: { ...job, block, ordinal } };
    }),
  ).flat();
  return { ...record, trials, jobs: trials.map(({ job }) => job) };
}
