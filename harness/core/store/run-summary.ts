import { median } from 'simple-statistics';
import type { Metric } from '../model/case.ts';
import { isBelievableValue } from '../model/credible.ts';
import type { Target } from '../model/device.ts';
import { displayProbe, drawingFields, parseDrawing } from '../model/display.ts';
import type { HistoryOrder, NightValue } from '../model/night.ts';
import type { Run } from '../model/run.ts';
import type { Connection } from './connection.ts';
import { selectTargets } from './read-plan.ts';
import { selectRuns } from './read-run.ts';
import { exactNumbers } from './rows.ts';

/** SQL for how the browser of a trial drew, as a JSON array; null where it did not say so. */
const drawing = `CASE WHEN display.document IS NOT NULL THEN
  json_array(${drawingFields.map((name) => `display.document ->> '$.${name}.value'`).join(', ')}) END`;

/**
 * SQL for what counts of the run `of`, as one JSON array, which `schema.md` describes. Every join
 * follows a key or an index, so that it costs what the run holds and not what the database holds.
 * The newest version of a browser counts; a trial that could not ask has no row.
 */
function mediansOf(of: string): string {
  return `(
  SELECT json_group_array(json_array(target_id, case_id, metric_id, browser_name, browser_version,
    isolated, json(medians), json(drawing)))
  FROM (
    SELECT cell.target_id, cell.case_id, trial_metric.metric_id,
      max(trial.browser_name) AS browser_name, max(trial.browser_version) AS browser_version,
      min(trial.isolated) AS isolated, ${exactNumbers('trial_metric.value')} AS medians,
      max(${drawing}) AS drawing
    FROM cell
    CROSS JOIN trial ON trial.cell_id = cell.id
    CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
    LEFT JOIN declared_reading AS display
      ON display.trial_id = trial.id AND display.probe = '${displayProbe}'
    WHERE cell.run_id = ${of} AND trial.outcome = 'completed' AND trial.quarantine IS NULL
      AND trial_metric.value IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  )
)`;
}

/** Stores the summary of a finished run, from which the history is made. Inside a transaction. */
export async function keepSummary(connection: Connection, run: number): Promise<void> {
  await connection.all(
    `INSERT OR REPLACE INTO run_history (run_id, medians)
     SELECT id, ${mediansOf('run.id')} FROM run WHERE id = ?1 AND status = 'finished'`,
    [run],
  );
}

/** Removes the summary of a run that is continued. Inside a transaction. */
export async function forgetSummary(connection: Connection, run: number): Promise<void> {
  await connection.all('DELETE FROM run_history WHERE run_id = ?1', [run]);
}

/** Of one case, target and metric in one run. */
type StoredValue = readonly [
  ...[target: number, case_: number, metric: number],
  // Null where no trial asked.
  ...[browserName: string | null, browserVersion: string | null],
  ...[isolated: 0 | 1, medians: readonly number[]],
  // Left out by older versions.
  drawing?: unknown,
];

interface DeclaredMetric extends Pick<NightValue, 'benchmark' | 'benchmarkVersion'> {
  readonly metric: NightValue['metric'];
}

/** Reads the runs of a history, each with its summary; computes one that is not stored. */
export const storedRuns = `
WITH night AS MATERIALIZED (
  SELECT id FROM run
  WHERE suite = ?1 AND id <= ?2 AND (status = 'finished' OR id = ?2)
    AND preset IS (SELECT preset FROM run WHERE id = ?2)
  ORDER BY id DESC LIMIT ?3
)
SELECT id, coalesce((SELECT medians FROM run_history WHERE run_id = night.id),
  ${mediansOf('night.id')}) AS stored
FROM night`;

interface StoredRun {
  readonly id: number;
  readonly stored: string;
}

/** Reads the medians of every night of a suite, the oldest night first. Quarantined trials are left out. */
export async function selectHistory(
  connection: Connection,
  { suite, until, nights }: HistoryOrder,
): Promise<readonly NightValue[]> {
  const rows = await connection.all<StoredRun>(storedRuns, [suite, until, nights]);
  const stored = new Map(rows.map((row) => [row.id, row.stored]));
  const ids = new Set(stored.keys());
  const runs = (await selectRuns(connection, 'all')).filter(({ id }) => ids.has(id));
  runs.sort((one, other) => one.startedAt.localeCompare(other.startedAt) || one.id - other.id);
  const caseNames = await selectCaseNames(connection, ids);
  const metrics = await selectMetrics(connection, ids);
  const values: NightValue[] = [];
  for (const run of runs) {
    const targetOf = await launchedTargets(connection, run);
    for (const value of JSON.parse(stored.get(run.id) ?? '[]') as readonly StoredValue[]) {
      const [, caseId, metric, , , isolated, all, drawing] = value;
      const { id, unit } = one(metrics, metric).metric;
      const medians = all.filter((value) => isBelievableValue(value, { metric: id, unit }));
      if (medians.length === 0) continue;
      values.push({
        run,
        target: targetOf(value),
        caseName: one(caseNames, caseId),
        ...one(metrics, metric),
        isolated: isolated === 1,
        drawing: parseDrawing(drawing),
        median: median([...medians]),
        values: medians,
        trials: medians.length,
      });
    }
  }
  return values;
}

async function selectCaseNames(
  connection: Connection,
  runs: ReadonlySet<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await connection.all<{ id: number; name: string }>(
    'SELECT id, name FROM "case" WHERE run_id IN (SELECT value FROM json_each(?1))',
    [JSON.stringify([...runs])],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

async function selectMetrics(
  connection: Connection,
  runs: ReadonlySet<number>,
): Promise<ReadonlyMap<number, DeclaredMetric>> {
  type Row = Metric & { row: number; benchmark: string; version: number };
  const rows = await connection.all<Row>(
    `SELECT metric.id AS row, metric.name AS id, metric.title, metric.unit, metric.direction,
       benchmark.name AS benchmark, benchmark.version
     FROM benchmark JOIN metric ON metric.benchmark_id = benchmark.id
     WHERE benchmark.run_id IN (SELECT value FROM json_each(?1))`,
    [JSON.stringify([...runs])],
  );
  return new Map(
    rows.map(({ row, benchmark, version, id, title, unit, direction }) => [
      row,
      { benchmark, benchmarkVersion: version, metric: { id, title, unit, direction } },
    ]),
  );
}

function one<Row>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`Row ${String(id)} is named but not there`);
  return row;
}

/**
 * The targets of a run, each with the version that was launched: a phone's browser gives its own only
 * then. All values of one version share one target.
 */
async function launchedTargets(
  connection: Connection,
  { id }: Run,
): Promise<(value: StoredValue) => Target> {
  const targets = await selectTargets(connection, id);
  const launched = new Map<string, Target>();
  return ([row, , , name, version]) => {
    const target = one(targets, row);
    if (name === null || version === null || version === target.browser.version) return target;
    const key = `${String(row)} ${version}`;
    const known = launched.get(key) ?? { ...target, browser: { name, version } };
    launched.set(key, known);
    return known;
  };
}
