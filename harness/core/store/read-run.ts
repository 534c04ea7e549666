import { buildTimeKey } from '../model/plan.ts';
import type { Question } from '../model/question.ts';
import type { CellCounts, Machine, Run, RunStatus } from '../model/run.ts';
import { fromRow, machineColumns, type Row, runColumns } from './columns.ts';
import type { Connection } from './connection.ts';

export interface RunRow extends Row {
  readonly id: number;
  readonly status: RunStatus;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** All runs, or one of them; the newest first. */
export async function selectRuns(
  connection: Connection,
  id: number | 'latest' | 'all',
): Promise<readonly Run[]> {
  const rows = await connection.all<RunRow>(
    `SELECT machine.*, run.* FROM run JOIN machine ON machine.id = run.machine_id
     WHERE ?1 IS NULL OR run.id = ?1
     ORDER BY run.id DESC LIMIT ?2`,
    [typeof id === 'number' ? id : null, id === 'all' ? -1 : 1],
  );
  return rows.map(toRun);
}

/** Reads a run with its plan, trials and question. */
export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    ...fromRow<Pick<Run, keyof typeof runColumns>>(row, runColumns),
    machine: fromRow<Machine>(row, machineColumns),
    status: row.status,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

export const noCells: CellCounts = { planned: 0, completed: 0, failed: 0, timedOut: 0, skipped: 0 };

/** A cell without outcome is planned, and counts as nothing else. */
const countColumns = `count(cell.id) AS planned,
  count(*) FILTER (WHERE outcome = 'completed') AS completed,
  count(*) FILTER (WHERE outcome = 'failed') AS failed,
  count(*) FILTER (WHERE outcome = 'timed-out') AS timedOut,
  count(*) FILTER (WHERE outcome = 'skipped') AS skipped`;

/** How the cells of each run ended. */
export async function selectCounts(
  connection: Connection,
  run: number | null,
): Promise<ReadonlyMap<number, CellCounts>> {
  const rows = await connection.all<CellCounts & { run: number }>(
    `SELECT run.id AS run, ${countColumns}
     FROM run LEFT JOIN cell ON cell.run_id = run.id LEFT JOIN trial ON trial.cell_id = cell.id
     WHERE ?1 IS NULL OR run.id = ?1 GROUP BY run.id`,
    [run],
  );
  return new Map(rows.map(({ run: id, ...counts }) => [id, counts]));
}

/** How the cells of one run ended on each of its devices, by their ids. */
export async function selectDeviceCounts(
  connection: Connection,
  run: number,
): Promise<ReadonlyMap<string, CellCounts>> {
  const rows = await connection.all<CellCounts & { device: string }>(
    `SELECT target.device AS device, ${countColumns}
     FROM target LEFT JOIN cell ON cell.target_id = target.id
       LEFT JOIN trial ON trial.cell_id = cell.id
     WHERE target.run_id = ?1 GROUP BY target.id`,
    [run],
  );
  return new Map(rows.map(({ device, ...counts }) => [device, counts]));
}

/** More would be slow, and tell of older builds. */
const recentRuns = 10;

/**
 * Reads the mean time of a trial that was not skipped in the newest runs without a preset, in
 * milliseconds, by `timeKey`.
 */
export async function selectRecentTimes(
  connection: Connection,
): Promise<ReadonlyMap<string, number>> {
  const rows = await connection.all<{ device: string; name: string; ms: number }>(
    `SELECT target.device AS device, "case".name AS name, avg(trial.wall_ms) AS ms
     FROM cell JOIN trial ON trial.cell_id = cell.id
       JOIN target ON target.id = cell.target_id JOIN "case" ON "case".id = cell.case_id
     WHERE cell.run_id IN (SELECT id FROM run WHERE preset IS NULL
       ORDER BY id DESC LIMIT ${String(recentRuns)})
       AND trial.outcome <> 'skipped'
     GROUP BY target.device, "case".name`,
    [],
  );
  return new Map(rows.map(({ device, name, ms }) => [buildTimeKey(device, name), ms]));
}

/** Reads the identity of a run, the same in every database; null when the run is unknown. */
export async function selectIdentity(connection: Connection, run: number): Promise<string | null> {
  const [row] = await connection.all<{ identity: string }>(
    'SELECT identity FROM run WHERE id = ?',
    [run],
  );
  return row?.identity ?? null;
}

/** Reads the question of a run; null for a run without one. */
export async function selectQuestion(
  connection: Connection,
  run: number,
): Promise<Question | null> {
  const [row] = await connection.all<{ document: string }>(
    'SELECT document FROM question WHERE run_id = ?',
    [run],
  );
  return row === undefined ? null : (JSON.parse(row.document) as Question);
}

/** The runs that were made for a question, whether they have ended or not; the newest first. */
export async function selectAsked(
  connection: Connection,
  name: string,
): Promise<readonly number[]> {
  const rows = await connection.all<{ run_id: number }>(
    'SELECT run_id FROM question WHERE name = ? ORDER BY run_id DESC',
    [name],
  );
  return rows.map(({ run_id: run }) => run);
}

/**
 * The newest finished run that was made for the question of this id. A smoke test comes after all
 * others; one of all devices and default parameters is preferred to the rest.
 */
export async function selectAnswer(connection: Connection, name: string): Promise<number | null> {
  const [row] = await connection.all<{ run_id: number }>(
    `SELECT run_id FROM question JOIN run ON run.id = question.run_id
     WHERE name = ? AND status = 'finished'
     ORDER BY preset IS NOT NULL, command LIKE '% --device %' OR command LIKE '% --param %', run_id DESC LIMIT 1`,
    [name],
  );
  return row?.run_id ?? null;
}
