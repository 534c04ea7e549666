import { families } from '../../model/family.ts';
import type { FilterValues, ListedBenchmark, MeasuredMetric } from '../../model/history.ts';
import type { Connection } from '../connection.ts';
import { toParameter, type ParameterRow } from '../read-plan.ts';
import { groupRows } from '../rows.ts';
import { selectPlacedTargets } from './places.ts';

/** More nights than a reader scrolls through; each can still be named by its number. */
const mostRuns = 400;

/** Lists the values of each filter, read from plans, never from trials. Inside a transaction. */
export async function selectFilterValues(connection: Connection): Promise<FilterValues> {
  const targets = await selectPlacedTargets(connection);
  const browsers = distinct(targets.map(({ browser }) => browser));
  const known = new Set(targets.map(({ family }) => family));
  const versions = new Map(
    targets.flatMap(({ browser, version }) =>
      version === null ? [] : [[`${browser} ${version}`, { browser, version }] as const],
    ),
  );
  return {
    benchmarks: await selectBenchmarks(connection),
    devices: distinct(targets.map(({ device }) => device)),
    browsers,
    families: families.filter((family) => known.has(family)),
    operatingSystems: distinct(targets.map(({ os }) => os)),
    cores: distinct(targets.flatMap(({ cores }) => (cores === null ? [] : [cores]))),
    drivers: distinct(targets.map(({ driver }) => driver)),
    // The newest first: a reader looks for a new version.
    versions: [...versions.values()].reverse(),
    runs: await connection.all<FilterValues['runs'][number]>(
      'SELECT id AS run, suite, status, started_at AS startedAt FROM run ORDER BY id DESC LIMIT ?',
      [mostRuns],
    ),
  };
}

function distinct<Value extends string | number>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
}

interface BenchmarkRow {
  readonly id: number;
  readonly benchmark: string;
  readonly title: string;
  readonly version: number;
  readonly growth_over: string | null;
  readonly run_id: number;
  readonly cases: number;
  readonly runs: number;
}

/** Fewer runs than these are no course. */
const fewestRuns = 3;

type MetricRow = MeasuredMetric & { readonly benchmark_id: number };

async function selectBenchmarks(connection: Connection): Promise<readonly ListedBenchmark[]> {
  const newest = 'SELECT max(id) FROM benchmark GROUP BY name';
  const rows = await connection.all<BenchmarkRow>(
    // Versions of a page stand next to each other in reports, and are no parameter.
    `SELECT id, name AS benchmark, title, version, growth_over, run_id,
       (SELECT count(DISTINCT json_remove("case".parameters, '$.version')) FROM "case"
        WHERE "case".run_id = benchmark.run_id AND "case".benchmark_id = benchmark.id) AS cases,
       (SELECT count(*) FROM benchmark AS other WHERE other.name = benchmark.name) AS runs
     FROM benchmark WHERE id IN (${newest}) ORDER BY name`,
  );
  const parameters = groupRows(
    await connection.all<ParameterRow>(
      `SELECT * FROM parameter WHERE benchmark_id IN (${newest}) ORDER BY benchmark_id, position`,
    ),
    ({ benchmark_id }) => benchmark_id,
  );
  const metrics = groupRows(
    await connection.all<MetricRow>(
      `SELECT benchmark_id, name AS metric, title AS metricTitle, unit, direction FROM metric
       WHERE benchmark_id IN (${newest}) ORDER BY benchmark_id, position`,
    ),
    ({ benchmark_id }) => benchmark_id,
  );
  return rows.map(({ id, growth_over, run_id, cases, runs, ...row }) => ({
    ...row,
    parameters: parameters(id).map(toParameter),
    metrics: metrics(id).map(({ metric, metricTitle, unit, direction }) => ({
      metric,
      metricTitle,
      unit,
      direction,
    })),
    growthOver: growth_over,
    newestRun: run_id,
    explorable: cases > 1 || runs >= fewestRuns,
  }));
}
