import { median } from 'simple-statistics';
import type { Metric } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import type { HistoryOrder, NightValue } from '../model/night.ts';
import type { Run } from '../model/run.ts';
import type { Connection } from './connection.ts';
import { mediansOf } from './kept-history.ts';
import { selectTargets } from './read-plan.ts';
import { selectRuns } from './read-run.ts';

/** Of one case, target and metric in one run. */
type StoredValue = readonly [
  ...[target: number, case_: number, metric: number],
  // Null where no trial asked.
  ...[browserName: string | null, browserVersion: string | null],
  ...[isolated: 0 | 1, medians: readonly number[]],
];

interface DeclaredMetric extends Pick<NightValue, 'benchmark' | 'benchmarkVersion'> {
  readonly metric: NightValue['metric'];
}

/** The runs that a history is made of, each with what is kept of it; what is not, is made of its trials. */
export const storedRuns = `
WITH night AS MATERIALIZED (
  SELECT id FROM run
  WHERE suite = ?1 AND id <= ?2 AND (status = 'finished' OR id = ?2)
  ORDER BY id DESC LIMIT ?3
)
SELECT id, coalesce((SELECT medians FROM run_history WHERE run_id = night.id),
  ${mediansOf('night.id')}) AS stored
FROM night`;

interface StoredRun {
  readonly id: number;
  readonly stored: string;
}

/** What every night of a suite measured, the oldest night first. Quarantined trials are left out. */
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
      const [, caseId, metric, , , isolated, medians] = value;
      values.push({
        run,
        target: targetOf(value),
        caseName: one(caseNames, caseId),
        ...one(metrics, metric),
        isolated: isolated === 1,
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
 * The targets of a run, each with the version that was launched: a phone's browser tells its own only
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
