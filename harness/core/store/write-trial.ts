import { median } from 'simple-statistics';
import type { Job } from '../model/plan.ts';
import { trialValue } from '../model/trial-value.ts';
import type { Outcome, Trial, TrialResult } from '../model/trial.ts';
import type { Connection, Value } from './connection.ts';
import { awaitAll, insertByTable, insertSamples, oneRow, type TableRows } from './insert.ts';
import { groupRows, toJson } from './rows.ts';
import { rowsOfReading } from './readings.ts';

/** Enough that statements are full, and few enough that their rows take little memory. */
const trialsAtOnce = 128;

/**
 * Stores trials, inside a transaction: many at once take a statement for each table and not for
 * each trial. A value that the plan and the benchmark do not declare is refused with a plain error,
 * because the runner should not have let it through: a job that the run does not have, an unknown
 * metric, or one with another unit.
 */
export async function insertTrials(
  connection: Connection,
  run: number,
  trials: readonly Trial[],
): Promise<void> {
  // The write lock is ours, so no other process takes the numbers that follow.
  const [newest] = await connection.all<{ id: number }>(
    'SELECT coalesce(max(id), 0) AS id FROM trial',
  );
  const parts = partsOf(trials, (newest?.id ?? 0) + 1);
  const lane = async (): Promise<void> => {
    for (const part of parts) await insertPart(connection, run, part);
  };
  // Two at a time: while SQLite stores the rows of one part, the next is prepared.
  await awaitAll([lane(), lane()]);
}

interface Part {
  readonly trials: readonly Trial[];
  /** Number that the first of them gets; the others follow. */
  readonly firstId: number;
}

function* partsOf(trials: readonly Trial[], firstId: number): Generator<Part> {
  for (let from = 0; from < trials.length; from += trialsAtOnce) {
    yield { trials: trials.slice(from, from + trialsAtOnce), firstId: firstId + from };
  }
}

async function insertPart(
  connection: Connection,
  run: number,
  { trials, firstId }: Part,
): Promise<void> {
  const cellOf = await findCells(connection, run, trials);
  const metricsOf = await findMetrics(connection, trials.map(cellOf));
  const numbered = trials.map((trial, index) => {
    const cell = cellOf(trial);
    const metricOf = metricsOf(cell.benchmark_id);
    return { trial, id: firstId + index, cell: cell.id, metricOf };
  });
  await insertByTable(
    connection,
    numbered.flatMap(({ trial, id, cell, metricOf }) =>
      rowsOfTrial(trial, { trial: id, cell }, metricOf),
    ),
  );
  await awaitAll(
    numbered.flatMap(({ trial: { outcome }, id, metricOf }) => {
      const samples = outcome.kind === 'completed' ? outcome.result.samples : [];
      return samples.flatMap(({ metric, unit, warmUp, timed }) => {
        const series = { trial: id, metric: metricOf(metric, unit) };
        return [
          insertSamples(connection, { ...series, phase: 'warm-up' }, warmUp),
          insertSamples(connection, { ...series, phase: 'timed' }, timed),
        ];
      });
    }),
  );
}

interface CellRow {
  readonly id: number;
  readonly ordinal: number;
  readonly block: number;
  readonly device: string;
  readonly benchmark: string;
  readonly benchmark_id: number;
  readonly parameters: string;
}

async function findCells(
  connection: Connection,
  run: number,
  trials: readonly Trial[],
): Promise<(trial: Trial) => CellRow> {
  const rows = await connection.all<CellRow>(
    `SELECT cell.id, cell.ordinal, cell.block, target.device, benchmark.name AS benchmark,
       benchmark.id AS benchmark_id, "case".parameters
     FROM json_each(?2) AS wanted
     CROSS JOIN cell ON cell.run_id = ?1 AND cell.ordinal = wanted.value
     JOIN target ON target.id = cell.target_id
     JOIN "case" ON "case".id = cell.case_id
     JOIN benchmark ON benchmark.id = "case".benchmark_id`,
    [run, JSON.stringify(trials.map(({ job }) => job.ordinal))],
  );
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
  return ({ job }) => {
    const cell = byOrdinal.get(job.ordinal);
    if (cell !== undefined && isPlanned(cell, job)) return cell;
    throw new Error(
      `Run ${String(run)} has no such cell: ordinal ${String(job.ordinal)}, block ${String(job.block)}, ${job.case.benchmark.id} on ${job.deviceId}`,
    );
  };
}

function isPlanned(cell: CellRow, job: Job): boolean {
  return (
    cell.block === job.block &&
    cell.device === job.deviceId &&
    cell.benchmark === job.case.benchmark.id &&
    cell.parameters === JSON.stringify(job.case.parameters)
  );
}

interface MetricRow {
  readonly id: number;
  readonly benchmark_id: number;
  readonly name: string;
  readonly unit: string;
}

/** The metrics of the benchmarks that these cells are of. */
async function findMetrics(
  connection: Connection,
  cells: readonly CellRow[],
): Promise<(benchmark: number) => MetricOf> {
  const benchmarks = [...new Set(cells.map(({ benchmark_id }) => benchmark_id))];
  const declaredBy = groupRows(
    await connection.all<MetricRow>(
      `SELECT id, benchmark_id, name, unit FROM metric
       WHERE benchmark_id IN (SELECT value FROM json_each(?1))`,
      [JSON.stringify(benchmarks)],
    ),
    ({ benchmark_id }) => benchmark_id,
  );
  return (benchmark) => (name, unit) => {
    const metric = declaredBy(benchmark).find((one) => one.name === name && one.unit === unit);
    if (metric !== undefined) return metric.id;
    throw new Error(`The benchmark declares no metric "${name}" in ${unit}`);
  };
}

/** The number of a trial, and its cell. */
interface TrialPlace {
  readonly trial: number;
  readonly cell: number;
}

/** The number of a metric that the trial's benchmark declares. @throws Error where it declares none. */
type MetricOf = (name: string, unit: string) => number;

/** A trial as rows, without its samples, which are many and alike: see `insertSamples`. Pure. */
function rowsOfTrial(trial: Trial, place: TrialPlace, metricOf: MetricOf): readonly TableRows[] {
  const { outcome, failedAttempts } = trial;
  const id = place.trial;
  const ending = oneRow('trial', {
    id,
    cell_id: place.cell,
    outcome: outcome.kind,
    started_at: trial.startedAt,
    wall_ms: trial.wallMs,
    browser_name: trial.browser?.name ?? null,
    browser_version: trial.browser?.version ?? null,
    node: toJson(trial.node),
    clock: toJson(trial.clock),
    waited_ms: trial.waitedMs ?? null,
    ...outcomeColumns(outcome),
  });
  const attempts = failedAttempts.map(({ number, failure: { code, message } }) =>
    oneRow('attempt', { trial_id: id, number, failure_code: code, failure_message: message }),
  );
  if (outcome.kind !== 'completed') return [ending, ...attempts];
  return [
    ...[ending, ...attempts, ...rowsOfResult(id, outcome.result, metricOf)],
    ...outcome.readings.flatMap((reading, position) =>
      rowsOfReading({ trial: id, position }, reading),
    ),
  ];
}

function outcomeColumns(outcome: Outcome): Readonly<Record<string, Value>> {
  switch (outcome.kind) {
    case 'completed': {
      const { result } = outcome;
      return {
        protocol: result.protocol,
        granule_us: result.clock.granuleUs,
        isolated: result.clock.isolated,
        user_agent: result.host.userAgent,
        hardware_concurrency: result.host.hardwareConcurrency,
        repeats: result.repeats,
        steadiness: result.steadiness,
        steady_state: toJson(result.steadyState),
        quarantine: quarantineColumn(outcome),
        page_errors: toJson(result.errors),
      };
    }
    case 'failed':
    case 'timed-out':
      return { failure_code: outcome.failure.code, failure_message: outcome.failure.message };
    case 'skipped':
      return { reason: outcome.reason, remedy: outcome.remedy };
  }
}

function rowsOfResult(
  trial: number,
  result: TrialResult,
  metricOf: MetricOf,
): readonly TableRows[] {
  const { samples, counters } = result;
  return [
    ...samples.map(({ metric, unit, timed }, position) => {
      const middle = timed.length === 0 ? null : median([...timed]);
      const row = { trial_id: trial, metric_id: metricOf(metric, unit), position };
      const value = trialValue(result, metric);
      return oneRow('trial_metric', { ...row, median: middle, value });
    }),
    ...Object.entries(counters).map(([name, value]) =>
      oneRow('counter', { trial_id: trial, name, value }),
    ),
  ];
}

function quarantineColumn({ quarantine }: Extract<Outcome, { kind: 'completed' }>): Value {
  return quarantine.length === 0 ? null : JSON.stringify(quarantine);
}
