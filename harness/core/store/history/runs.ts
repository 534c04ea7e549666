import type {
  CountedRun,
  ListedCell,
  Page,
  PageWanted,
  StoredProgress,
  SuiteHistory,
} from '../../model/history.ts';
import type { Run, RunStatus } from '../../model/run.ts';
import { caseLabels } from '../../model/case-label.ts';
import type { Parameters } from '../../model/case.ts';
import { nameOfRun } from '../../model/run-name.ts';
import type { Outcome } from '../../model/trial.ts';
import type { Connection } from '../connection.ts';
import { selectStage } from '../run-setting.ts';
import { noCells, selectCounts, selectRuns, toRun, type RunRow } from '../read-run.ts';

/** The newest first. Inside a transaction. */
export async function selectRunPage(
  connection: Connection,
  status: RunStatus | null,
  { limit, after }: PageWanted,
): Promise<Page<CountedRun>> {
  const rows = await connection.all<RunRow>(
    `SELECT machine.*, run.* FROM run JOIN machine ON machine.id = run.machine_id
     WHERE (?1 IS NULL OR run.id < ?1) AND (?2 IS NULL OR run.status = ?2)
     ORDER BY run.id DESC LIMIT ?3`,
    [after?.[0] ?? null, status, limit + 1],
  );
  const runs: CountedRun[] = [];
  for (const row of rows.slice(0, limit)) runs.push(await toCounted(connection, toRun(row)));
  const last = rows.length > limit ? runs.at(-1) : undefined;
  return { rows: runs, next: last === undefined ? null : [last.id] };
}

/** Null when the run is unknown. Inside a transaction. */
export async function selectCountedRun(
  connection: Connection,
  id: number,
): Promise<CountedRun | null> {
  const [run] = await selectRuns(connection, id);
  return run === undefined ? null : toCounted(connection, run);
}

async function toCounted(connection: Connection, run: Run): Promise<CountedRun> {
  const counts = (await selectCounts(connection, run.id)).get(run.id) ?? noCells;
  return { ...run, name: await selectName(connection, run), counts };
}

interface NameRow {
  readonly question: string | null;
  /** JSON arrays. */
  readonly versions: string;
  readonly devices: string;
  readonly cases: string;
}

interface NamedCase {
  readonly name: string;
  readonly benchmark: string;
  readonly parameters: Parameters;
  readonly by: string | null;
  readonly over: string | null;
}

/** The measurement of a run, from its plan alone: every part of it is found by an index. */
export const nameSql = `
SELECT
  (SELECT name || ': ' || (document ->> '$.sentence') FROM question WHERE run_id = ?1) AS question,
  coalesce((SELECT parameter.choices FROM benchmark JOIN parameter ON benchmark_id = benchmark.id
    WHERE run_id = ?1 AND parameter.name = 'version' AND ?2 = 'versions'), '[]') AS versions,
  (SELECT json_group_array(device_name) FROM (SELECT device_name FROM target
    WHERE run_id = ?1 AND status = 'found' ORDER BY position)) AS devices,
  (SELECT json_group_array(json_object('name', name, 'benchmark', benchmark,
      'parameters', json(parameters), 'by', growth_by, 'over', growth_over))
    FROM (SELECT "case".name, benchmark.name AS benchmark, parameters, growth_by, growth_over
      FROM "case" JOIN benchmark ON benchmark.id = benchmark_id
      WHERE "case".run_id = ?1 ORDER BY "case".id LIMIT 3)) AS cases`;

async function selectName(connection: Connection, { id, suite }: Run): Promise<string> {
  const [row] = await connection.all<NameRow>(nameSql, [id, suite]);
  if (row === undefined) return suite;
  const listOf = (json: string): readonly string[] => (JSON.parse(json) as unknown[]).map(String);
  return nameOfRun({
    suite,
    question: row.question,
    versions: listOf(row.versions),
    devices: listOf(row.devices),
    cases: labelsOf(JSON.parse(row.cases) as NamedCase[]),
  });
}

function labelsOf(cases: readonly NamedCase[]): readonly string[] {
  const parts = cases.map(({ by, over, ...one }) => ({
    ...one,
    growth: by === null || over === null ? undefined : { by, over },
  }));
  return [...caseLabels(parts).values()];
}

/** Of a suite, or of the newest run's; null when it has no finished run. Inside a transaction. */
export async function selectSuiteHistory(
  connection: Connection,
  suite: string | null,
): Promise<SuiteHistory | null> {
  const [found] = await connection.all<SuiteHistory>(
    `SELECT suite, max(id) AS newest, count(*) AS runs FROM run
     WHERE status = 'finished' AND preset IS NULL AND suite = coalesce(
       ?1, (SELECT suite FROM run WHERE status = 'finished' AND preset IS NULL ORDER BY id DESC LIMIT 1))
     GROUP BY suite`,
    [suite],
  );
  return found ?? null;
}

interface CellRow {
  readonly ordinal: number;
  readonly block: number;
  readonly case_name: string;
  readonly device: string;
  readonly repeats: number | null;
  readonly outcome: Outcome['kind'] | null;
  readonly trial: number | null;
}

/** In the order of the plan; null when the run is unknown. Inside a transaction. */
export async function selectCellPage(
  connection: Connection,
  run: number,
  { limit, after }: PageWanted,
): Promise<Page<ListedCell> | null> {
  const [known] = await connection.all('SELECT id FROM run WHERE id = ?', [run]);
  if (known === undefined) return null;
  const rows = await connection.all<CellRow>(
    `SELECT cell.ordinal, cell.block, "case".name AS case_name, target.device, cell.repeats,
       trial.outcome, trial.id AS trial
     FROM cell
     JOIN "case" ON "case".id = cell.case_id
     JOIN target ON target.id = cell.target_id
     LEFT JOIN trial ON trial.cell_id = cell.id
     WHERE cell.run_id = ? AND cell.ordinal > ?
     ORDER BY cell.ordinal LIMIT ?`,
    [run, after?.[0] ?? -1, limit + 1],
  );
  const cells = rows
    .slice(0, limit)
    .map(({ case_name, ...cell }): ListedCell => ({ ...cell, case: case_name }));
  const last = rows.length > limit ? cells.at(-1) : undefined;
  return { rows: cells, next: last === undefined ? null : [last.ordinal] };
}

/** How many of the newest trials progress shows. */
const mostRecent = 5;

/** Null when the run is unknown. Inside a transaction. */
export async function selectProgress(
  connection: Connection,
  id: number,
): Promise<StoredProgress | null> {
  const run = await selectCountedRun(connection, id);
  if (run === null) return null;
  const { status, counts, startedAt, finishedAt } = run;
  const isRunning = status === 'running';
  const recent = isRunning ? await selectRecent(connection, id) : [];
  const stage = isRunning ? await selectStage(connection, id) : null;
  return { run: id, status, counts, startedAt, finishedAt, recent, stage };
}

interface RecentRow {
  readonly trial: number;
  readonly case_name: string;
  readonly device: string;
  readonly outcome: Outcome['kind'];
  readonly started_at: string;
  readonly wall_ms: number;
}

/**
 * Only among the newest trials of the whole file: a run that a killed farm left `running` may be an
 * old one, and looking for its last trials would mean to look through all later ones.
 */
async function selectRecent(
  connection: Connection,
  run: number,
): Promise<StoredProgress['recent']> {
  const rows = await connection.all<RecentRow>(
    `SELECT trial.id AS trial, "case".name AS case_name, target.device, trial.outcome,
       trial.started_at, trial.wall_ms
     FROM trial
     CROSS JOIN cell ON cell.id = trial.cell_id
     JOIN "case" ON "case".id = cell.case_id
     JOIN target ON target.id = cell.target_id
     WHERE trial.id > (SELECT max(id) FROM trial) - 1000 AND cell.run_id = ?
     ORDER BY trial.id DESC LIMIT ?`,
    [run, mostRecent],
  );
  return rows.map((row) => ({
    trial: row.trial,
    case: row.case_name,
    device: row.device,
    outcome: row.outcome,
    startedAt: row.started_at,
    wallMs: row.wall_ms,
  }));
}
