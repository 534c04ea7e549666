import { randomUUID } from 'node:crypto';
import type { Benchmark, Case, Isolation, MeasurementPreset, Parameter } from '../model/case.ts';
import { caseName } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { Question } from '../model/question.ts';
import type { Machine, RunSetting } from '../model/run.ts';
import { deviceColumns, machineColumns, runColumns, toRow } from './columns.ts';
import type { Connection, Value } from './connection.ts';
import { insertOne, insertRows } from './insert.ts';
import { toJson } from './rows.ts';

/** A run before its first trial. */
export interface RunFacts {
  readonly suite: string;
  readonly seed: number;
  readonly isolation: Isolation;
  readonly preset?: MeasurementPreset | undefined;
  /** The command that repeats it. */
  readonly command: string;
  readonly farmVersion: string;
  readonly machine: Machine;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly presences: readonly Presence[];
  readonly jobs: readonly Job[];
  /** The question that the run is to answer, if it has one. */
  readonly question?: Question;
  /** Settings and the process that runs it; a run without cannot be resumed. */
  readonly setting?: { readonly farm: string; readonly document: RunSetting };
  /** Of a run that another farm made; a new one when left out. */
  readonly identity?: string;
}

/** Stores a run with its plan, inside a transaction, and gives its id. */
export async function insertRun(connection: Connection, facts: RunFacts): Promise<number> {
  const run = await insertOne(connection, 'run', {
    ...toRow(facts, runColumns),
    machine_id: await findOrInsertMachine(connection, facts.machine),
    started_at: facts.startedAt,
    identity: facts.identity ?? randomUUID(),
  });
  const targets = new Map<string, number>();
  for (const [position, presence] of facts.presences.entries()) {
    targets.set(presence.device.id, await insertTarget(connection, run, { presence, position }));
  }
  await insertCells(connection, { run, targets, jobs: facts.jobs });
  await insertRows(
    connection,
    { table: 'question', columns: ['run_id', 'name', 'document'] },
    facts.question === undefined ? [] : [[run, facts.question.id, JSON.stringify(facts.question)]],
  );
  const { setting } = facts;
  await insertRows(
    connection,
    { table: 'run_setting', columns: ['run_id', 'farm', 'document'] },
    setting === undefined ? [] : [[run, setting.farm, JSON.stringify(setting.document)]],
  );
  return run;
}

async function findOrInsertMachine(connection: Connection, machine: Machine): Promise<number> {
  const row = toRow(machine, machineColumns);
  // IS and not =, because "no virtualization seen" is null.
  const same = Object.keys(row).map((column) => `${column} IS ?`);
  const [known] = await connection.all<{ id: number }>(
    `SELECT id FROM machine WHERE ${same.join(' AND ')}`,
    Object.values(row),
  );
  return known?.id ?? insertOne(connection, 'machine', row);
}

async function insertTarget(
  connection: Connection,
  run: number,
  { presence, position }: { readonly presence: Presence; readonly position: number },
): Promise<number> {
  const { device } = presence;
  const id = await insertOne(connection, 'target', {
    run_id: run,
    position,
    ...toRow(device, deviceColumns),
    ...presenceColumns(presence),
  });
  await insertRows(
    connection,
    { table: 'capability', columns: ['target_id', 'position', 'name', 'supported', 'because'] },
    presence.capabilities.map((one, index) => [
      ...[id, index, one.name, one.supported],
      one.because ?? null,
    ]),
  );
  return id;
}

function presenceColumns(presence: Presence): Readonly<Record<string, Value>> {
  if (presence.status === 'missing') {
    return { status: 'missing', reason: presence.reason, remedy: presence.remedy };
  }
  const { passedOver } = presence;
  const { browser, executable, server, node } = presence.target;
  return {
    status: 'found',
    browser_name: browser.name,
    browser_version: browser.version,
    executable,
    server: server ?? null,
    node: toJson(node),
    passed_over: toJson(passedOver),
  };
}

const cellRows = {
  table: 'cell',
  columns: ['run_id', 'ordinal', 'block', 'case_id', 'target_id', 'session_key', 'repeats'],
};

function cellRow(
  job: Job,
  of: { readonly run: number; readonly case: number; readonly target: number },
): Value[] {
  return [
    ...[of.run, job.ordinal, job.block, of.case, of.target],
    ...[job.sessionKey, job.repeats ?? null],
  ];
}

async function insertCells(
  connection: Connection,
  plan: {
    readonly run: number;
    readonly targets: ReadonlyMap<string, number>;
    readonly jobs: readonly Job[];
  },
): Promise<void> {
  const benchmarks = new Map<string, number>();
  const cases = new Map<string, number>();
  const rows: Value[][] = [];
  for (const job of plan.jobs) {
    const declared = JSON.stringify(job.case.benchmark);
    const benchmark =
      benchmarks.get(declared) ?? (await insertBenchmark(connection, plan.run, job.case.benchmark));
    benchmarks.set(declared, benchmark);
    const key = `${String(benchmark)} ${JSON.stringify(job.case.parameters)}`;
    const one =
      cases.get(key) ?? (await insertCase(connection, { run: plan.run, benchmark }, job.case));
    cases.set(key, one);
    const target = plan.targets.get(job.deviceId);
    if (target === undefined) {
      throw new Error(
        `Job ${String(job.ordinal)} names device "${job.deviceId}", of which the run has no presence`,
      );
    }
    rows.push(cellRow(job, { run: plan.run, case: one, target }));
  }
  await insertRows(connection, cellRows, rows);
}

async function insertCase(
  connection: Connection,
  of: { readonly run: number; readonly benchmark: number },
  one: Case,
): Promise<number> {
  return insertOne(connection, '"case"', {
    run_id: of.run,
    benchmark_id: of.benchmark,
    name: caseName(one),
    parameters: JSON.stringify(one.parameters),
  });
}

/** The declaration as it is today: an old run must stay readable after its page has changed. */
async function insertBenchmark(
  connection: Connection,
  run: number,
  benchmark: Benchmark,
): Promise<number> {
  const theory = benchmark.growth?.theory;
  const id = await insertOne(connection, 'benchmark', {
    run_id: run,
    name: benchmark.id,
    version: benchmark.version,
    title: benchmark.title,
    description: benchmark.description,
    page: benchmark.page,
    growth_over: benchmark.growth?.over ?? null,
    growth_by: benchmark.growth?.by ?? null,
    truth_parameter: benchmark.truth?.parameter ?? null,
    truth_unit: benchmark.truth?.unit ?? null,
    growth_theory: toJson(theory),
    crossover: toJson(benchmark.crossover),
  });
  await insertRows(
    connection,
    {
      table: 'metric',
      columns: ['benchmark_id', 'position', 'name', 'title', 'unit', 'direction'],
    },
    benchmark.metrics.map((metric, position) => [
      ...[id, position, metric.id, metric.title, metric.unit],
      metric.direction,
    ]),
  );
  await insertRows(
    connection,
    {
      table: 'parameter',
      columns: [
        ...['benchmark_id', 'position', 'name', 'kind'],
        ...['choices', 'minimum', 'maximum', 'default_value'],
      ],
    },
    benchmark.parameters.map((parameter, position) => [
      ...[id, position, parameter.name, parameter.kind],
      ...parameterColumns(parameter),
    ]),
  );
  return id;
}

function parameterColumns(parameter: Parameter): readonly Value[] {
  const byDefault = JSON.stringify(parameter.default);
  return parameter.kind === 'choice'
    ? [JSON.stringify(parameter.values), null, null, byDefault]
    : [null, parameter.minimum, parameter.maximum, byDefault];
}

/**
 * Plans further cells of a run whose cases and targets are known from its first ones: a run that
 * may stop at any block plans one block at a time, and a quarantined trial plans its repeat.
 */
export async function insertJobs(
  connection: Connection,
  run: number,
  jobs: readonly Job[],
): Promise<void> {
  const known = await connection.all<{
    device: string;
    benchmark: string;
    parameters: string;
    case_id: number;
    target_id: number;
  }>(
    `SELECT DISTINCT target.device, benchmark.name AS benchmark, "case".parameters,
       cell.case_id, cell.target_id
     FROM cell
     JOIN target ON target.id = cell.target_id
     JOIN "case" ON "case".id = cell.case_id
     JOIN benchmark ON benchmark.id = "case".benchmark_id
     WHERE cell.run_id = ?`,
    [run],
  );
  const rows = jobs.map((job): Value[] => {
    // Not by the case's name, in which the text 1 and the number 1 look the same.
    const parameters = JSON.stringify(job.case.parameters);
    const cell = known.find(
      (one) =>
        one.device === job.deviceId &&
        one.benchmark === job.case.benchmark.id &&
        one.parameters === parameters,
    );
    if (cell === undefined) {
      throw new Error(
        `Run ${String(run)} has no cell of ${caseName(job.case)} on ${job.deviceId} to go by`,
      );
    }
    return cellRow(job, { run, case: cell.case_id, target: cell.target_id });
  });
  await insertRows(connection, cellRows, rows);
}
