import type { Parameters } from '../../model/case.ts';
import type {
  HistoryFilter,
  Page,
  PageWanted,
  PooledTrial,
  PoolWanted,
  SeriesTrial,
  StoredSeries,
} from '../../model/history.ts';
import { isBelievableValue } from '../../model/credible.ts';
import type { Outcome } from '../../model/trial.ts';
import type { Connection } from '../connection.ts';
import { groupRows } from '../rows.ts';
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

interface SeriesRow extends KeyRow, PlaceRow, SubjectRow {
  readonly metric: string;
  readonly title: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
}

/** A series is where a cell was planned: not every case runs on every target. */
export const seriesSql = `
SELECT ${placeColumns}, ${subjectColumns}, metric.name AS metric, metric.title, metric.unit,
  metric.direction, target.id AS target_id, benchmark.id AS benchmark_id, "case".id AS case_id,
  metric.id AS last_id
${walk('metric')}
  AND (?18 IS NULL OR metric.name = ?18)
  AND target.status = 'found'
  AND EXISTS (SELECT 1 FROM cell
    WHERE cell.run_id = run.id AND cell.case_id = "case".id AND cell.target_id = target.id)
${inOrder('metric')} LIMIT ?17`;

/** Series of the newest run first, each with its trials. Inside a transaction. */
export async function selectSeries(
  connection: Connection,
  filter: HistoryFilter,
  { limit, after }: PageWanted,
): Promise<Page<StoredSeries>> {
  const values = await walkValues(connection, filter, after);
  const rows = await connection.all<SeriesRow>(seriesSql, [
    ...values,
    limit + 1,
    filter.metric ?? null,
  ]);
  const wanted = rows.slice(0, limit);
  const cellsOf = await selectCells(connection, wanted);
  const shown = wanted.map((row, position) => toSeries(row, cellsOf(position)));
  return pageOf(rows, limit, shown);
}

function toSeries(row: SeriesRow, cells: readonly CellRow[]): StoredSeries {
  const { metric, title: metricTitle, unit, direction } = row;
  return {
    ...toPlace(row),
    ...toSubject(row),
    metric,
    metricTitle,
    unit,
    direction,
    planned: cells.length,
    trials: cells.flatMap((cell) => toTrial(cell, row)),
  };
}

interface CellRow {
  readonly position: number;
  readonly block: number;
  readonly is_repeat: number;
  readonly outcome: Outcome['kind'] | null;
  readonly quarantine: string | null;
  readonly wall_ms: number;
  readonly value: number | null;
}

/** One with a value that cannot be believed counts as failed, as where its samples are read. */
function toTrial(
  { block, is_repeat, outcome, quarantine, value, wall_ms: wallMs }: CellRow,
  { metric, unit }: SeriesRow,
): readonly SeriesTrial[] {
  if (outcome === null) return [];
  const place = { block, isRepeat: is_repeat === 1 };
  if (value !== null && !isBelievableValue(value, { metric, unit, wallMs })) {
    return [{ ...place, outcome: 'failed', quarantine: [], value: null }];
  }
  const reasons = quarantine === null ? [] : (JSON.parse(quarantine) as string[]);
  return [{ ...place, outcome, quarantine: reasons, value }];
}

async function selectCells(
  connection: Connection,
  wanted: readonly SeriesRow[],
): Promise<(position: number) => readonly CellRow[]> {
  const keys = wanted.map((row) => [row.run, row.case_id, row.target_id, row.last_id]);
  const rows = await connection.all<CellRow>(
    `SELECT wanted.key AS position, cell.block, cell.repeats IS NOT NULL AS is_repeat, trial.outcome,
       trial.quarantine, trial.wall_ms, trial_metric.value
     FROM json_each(?1) AS wanted
     CROSS JOIN cell ON cell.run_id = json_extract(wanted.value, '$[0]')
       AND cell.case_id = json_extract(wanted.value, '$[1]')
       AND cell.target_id = json_extract(wanted.value, '$[2]')
     LEFT JOIN trial ON trial.cell_id = cell.id
     LEFT JOIN trial_metric ON trial_metric.trial_id = trial.id
       AND trial_metric.metric_id = json_extract(wanted.value, '$[3]')
     ORDER BY wanted.key, cell.id`,
    [JSON.stringify(keys)],
  );
  return groupRows(rows, ({ position }) => position);
}

interface PoolRow {
  readonly trial: number;
  readonly wall_ms: number;
  readonly unit: string;
  readonly target: number;
  readonly parameters: string;
  readonly value: number;
}

/**
 * Trials that count, of all runs that had the newest version of the benchmark: results of two
 * versions are never pooled, nor those of a preset with others. A case's values are given as JSON, so those of its parameters that are
 * asked for are compared one by one. Inside a transaction.
 */
export async function selectPool(
  connection: Connection,
  { benchmark, metric, parameters, most, targets, limit }: PoolWanted,
): Promise<readonly PooledTrial[]> {
  const rows = await connection.all<PoolRow>(
    `SELECT trial.id AS trial, trial.wall_ms, metric.unit, cell.target_id AS target, "case".parameters,
       trial_metric.value
     FROM run
     CROSS JOIN benchmark ON benchmark.run_id = run.id AND benchmark.name = ?1
       AND benchmark.version = (SELECT max(version) FROM benchmark WHERE name = ?1)
     CROSS JOIN metric ON metric.benchmark_id = benchmark.id AND metric.name = ?2
     CROSS JOIN "case" ON "case".run_id = run.id AND "case".benchmark_id = benchmark.id
     CROSS JOIN cell ON cell.run_id = run.id AND cell.case_id = "case".id
     CROSS JOIN trial ON trial.cell_id = cell.id
     CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
       AND trial_metric.metric_id = metric.id AND trial_metric.value IS NOT NULL
     WHERE trial.outcome = 'completed' AND trial.quarantine IS NULL AND run.preset IS NULL
       AND cell.target_id IN (SELECT value FROM json_each(?5))
       AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS wanted WHERE NOT EXISTS (
         SELECT 1 FROM json_each("case".parameters) AS own
         WHERE own.key = wanted.key AND own.value = wanted.value))
       AND NOT EXISTS (SELECT 1 FROM json_each(?4) AS most JOIN json_each("case".parameters) AS own
         WHERE own.key = most.key AND own.value > most.value)
     ORDER BY run.id DESC, "case".id, cell.id LIMIT ?6`,
    [
      benchmark,
      metric,
      JSON.stringify(parameters),
      JSON.stringify(most),
      JSON.stringify(targets),
      limit,
    ],
  );
  const believed = rows.filter(({ value, unit, wall_ms: wallMs }) =>
    isBelievableValue(value, { metric, unit, wallMs }),
  );
  return believed.map((row) => ({
    trial: row.trial,
    target: row.target,
    parameters: JSON.parse(row.parameters) as Parameters,
    value: row.value,
  }));
}
