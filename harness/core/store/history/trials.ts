import type {
  HistoryFilter,
  ListedTrial,
  Page,
  PageWanted,
  WholeSamples,
  WholeTrial,
} from '../../model/history.ts';
import type { Reading } from '../../model/reading.ts';
import type { FailureCode, Outcome, SteadyState } from '../../model/trial.ts';
import type { Connection } from '../connection.ts';
import { selectReadings } from '../readings.ts';
import { groupRows, trialItself } from '../rows.ts';
import {
  inOrder,
  pageOf,
  placeColumns,
  subjectColumns,
  toPlace,
  toSubject,
  walk,
  walkValues,
  type KeyRow,
  type PlaceRow,
  type SubjectRow,
} from './places.ts';

interface TrialRow extends KeyRow, PlaceRow, SubjectRow {
  readonly trial: number;
  readonly ordinal: number;
  readonly block: number;
  readonly outcome: Outcome['kind'];
  readonly started_at: string;
  readonly wall_ms: number;
  readonly failure_code: FailureCode | null;
  readonly message: string | null;
  readonly quarantine: string | null;
  readonly steadiness: string | null;
  readonly user_agent: string | null;
}

const columns = `
  ${placeColumns}, ${subjectColumns}, trial.id AS trial, cell.ordinal, cell.block, trial.outcome,
  trial.started_at, trial.wall_ms, trial.failure_code,
  coalesce(trial.failure_message, trial.reason) AS message, trial.quarantine, trial.steadiness,
  trial.user_agent, target.id AS target_id, benchmark.id AS benchmark_id, "case".id AS case_id,
  cell.id AS last_id`;

/** A metric asked for is one that the trial's benchmark has. */
export const trialsSql = `
SELECT ${columns}
${walk('cell')}
  AND (?18 IS NULL OR trial.outcome = ?18)
  AND (?19 IS NULL OR EXISTS (SELECT 1 FROM metric
    WHERE metric.benchmark_id = benchmark.id AND metric.name = ?19))
${inOrder('cell')} LIMIT ?17`;

/** Trials of the newest run first, each with its values. Inside a transaction. */
export async function selectTrialPage(
  connection: Connection,
  filter: HistoryFilter,
  { limit, after }: PageWanted,
): Promise<Page<ListedTrial>> {
  const values = await walkValues(connection, filter, after);
  const { outcome = null, metric = null } = filter;
  const rows = await connection.all<TrialRow>(trialsSql, [...values, limit + 1, outcome, metric]);
  const wanted = rows.slice(0, limit);
  return pageOf(rows, limit, await withValues(connection, wanted));
}

/** Null without such a trial. Inside a transaction. */
export async function selectTrial(connection: Connection, id: number): Promise<WholeTrial | null> {
  const rows = await connection.all<TrialRow & { readonly steady_state: string | null }>(
    `SELECT ${columns}, trial.steady_state
     FROM trial
     JOIN cell ON cell.id = trial.cell_id
     JOIN run ON run.id = cell.run_id
     JOIN target ON target.id = cell.target_id
     JOIN "case" ON "case".id = cell.case_id
     JOIN benchmark ON benchmark.id = "case".benchmark_id
     WHERE trial.id = ?`,
    [id],
  );
  const [trial] = await withValues(connection, rows);
  if (trial === undefined) return null;
  const found = rows[0]?.steady_state ?? null;
  return { ...trial, steadyState: found === null ? null : (JSON.parse(found) as SteadyState) };
}

interface ValueRow {
  readonly trial_id: number;
  readonly metric: string;
  readonly unit: string;
  readonly value: number | null;
  readonly iterations: number;
}

async function withValues(
  connection: Connection,
  rows: readonly TrialRow[],
): Promise<readonly ListedTrial[]> {
  const ids = rows.map(({ trial }) => trial);
  const valuesOf = groupRows(
    await connection.all<ValueRow>(
      `SELECT trial_metric.trial_id, metric.name AS metric, metric.unit,
         trial_metric.value,
         (SELECT count(*) FROM sample
          WHERE sample.trial_id = trial_metric.trial_id
            AND sample.metric_id = trial_metric.metric_id AND sample.phase = 'timed') AS iterations
       FROM json_each(?1) AS wanted
       CROSS JOIN trial_metric ON trial_metric.trial_id = wanted.value
       JOIN metric ON metric.id = trial_metric.metric_id
       ORDER BY trial_metric.trial_id, trial_metric.position`,
      [JSON.stringify(ids)],
    ),
    ({ trial_id }) => trial_id,
  );
  return rows.map((row) => toTrial(row, valuesOf(row.trial)));
}

function toTrial(row: TrialRow, values: readonly ValueRow[]): ListedTrial {
  return {
    ...toPlace(row),
    ...toSubject(row),
    trial: row.trial,
    ordinal: row.ordinal,
    block: row.block,
    outcome: row.outcome,
    startedAt: row.started_at,
    wallMs: row.wall_ms,
    failureCode: row.failure_code,
    message: row.message,
    quarantine: row.quarantine === null ? [] : (JSON.parse(row.quarantine) as string[]),
    steadiness: row.steadiness,
    userAgent: row.user_agent,
    values: values.map(({ metric, unit, value, iterations }) => ({
      metric,
      unit,
      value,
      iterations,
    })),
  };
}

interface SamplesRow {
  readonly metric: string;
  readonly unit: string;
  /** JSON arrays, in the order of the iterations. */
  readonly warm_up: string;
  readonly timed: string;
}

function samplesOf(phase: 'warm-up' | 'timed'): string {
  return `(SELECT json_group_array(value) FROM (
    SELECT value FROM sample
    WHERE sample.trial_id = trial_metric.trial_id
      AND sample.metric_id = trial_metric.metric_id AND sample.phase = '${phase}'
    ORDER BY iteration))`;
}

/** Every sample of one trial; null without such a trial. Inside a transaction. */
export async function selectTrialSamples(
  connection: Connection,
  trial: number,
): Promise<readonly WholeSamples[] | null> {
  if (!(await isThere(connection, trial))) return null;
  const rows = await connection.all<SamplesRow>(
    `SELECT metric.name AS metric, metric.unit,
       ${samplesOf('warm-up')} AS warm_up, ${samplesOf('timed')} AS timed
     FROM trial_metric JOIN metric ON metric.id = trial_metric.metric_id
     WHERE trial_metric.trial_id = ? ORDER BY trial_metric.position`,
    [trial],
  );
  return rows.map(({ metric, unit, warm_up, timed }) => ({
    metric,
    unit,
    warmUp: JSON.parse(warm_up) as readonly number[],
    timed: JSON.parse(timed) as readonly number[],
  }));
}

/** Reads what the probes gave for one trial; null without such a trial. Inside a transaction. */
export async function selectTrialReadings(
  connection: Connection,
  trial: number,
): Promise<readonly Reading[] | null> {
  if (!(await isThere(connection, trial))) return null;
  const readingsOf = await selectReadings(connection, trial, trialItself);
  return readingsOf(trial);
}

async function isThere(connection: Connection, trial: number): Promise<boolean> {
  const [found] = await connection.all('SELECT id FROM trial WHERE id = ?', [trial]);
  return found !== undefined;
}
