import type { Metric } from '../model/case.ts';
import type { Target } from '../model/device.ts';
import type { HistoryOrder, NightValue } from '../model/night.ts';
import type { Connection } from './connection.ts';
import { selectTargets } from './read-plan.ts';
import { selectRuns } from './read-run.ts';
import { groupRows } from './rows.ts';

interface MedianRow extends Metric {
  readonly run_id: number;
  readonly target_id: number;
  readonly case_name: string;
  readonly benchmark: string;
  readonly benchmark_version: number;
  /** Null where the trial did not ask. */
  readonly browser_name: string | null;
  readonly browser_version: string | null;
  readonly isolated: number;
  readonly median: number;
  readonly trials: number;
}

/**
 * The runs that a history is made of. Every join below follows a key or an index from them, so that
 * it costs what they hold and not what the database holds.
 */
const nights = `
  SELECT id FROM run
  WHERE suite = ?1 AND id <= ?2 AND (status = 'finished' OR id = ?2)
  ORDER BY id DESC LIMIT ?3`;

/** Median of a trial's timed samples, as in the view `result`; then the median of those over trials. */
export const medians = `
WITH night AS MATERIALIZED (${nights}),
per_trial AS (
  SELECT cell.run_id, cell.target_id, cell.case_id, trial_metric.metric_id,
    trial.browser_name, trial.browser_version, trial.isolated,
    (
      SELECT avg(value) FROM (
        SELECT value, row_number() OVER (ORDER BY value) AS rank, count(*) OVER () AS n
        FROM sample
        WHERE sample.trial_id = trial_metric.trial_id
          AND sample.metric_id = trial_metric.metric_id
          AND sample.phase = 'timed'
      )
      WHERE rank IN ((n + 1) / 2, (n + 2) / 2)
    ) AS median
  FROM night
  CROSS JOIN cell ON cell.run_id = night.id
  CROSS JOIN trial ON trial.cell_id = cell.id
  CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
  WHERE trial.outcome = 'completed' AND trial.quarantine IS NULL
),
ranked AS (
  SELECT *, row_number() OVER series AS rank,
    count(*) OVER (PARTITION BY target_id, case_id, metric_id) AS trials
  FROM per_trial WHERE median IS NOT NULL
  WINDOW series AS (PARTITION BY target_id, case_id, metric_id ORDER BY median)
)
SELECT ranked.run_id, target_id, "case".name AS case_name,
  benchmark.name AS benchmark, benchmark.version AS benchmark_version,
  metric.name AS id, metric.title, metric.unit, metric.direction,
  max(ranked.browser_name) AS browser_name, max(ranked.browser_version) AS browser_version,
  min(isolated) AS isolated, avg(median) AS median, trials
FROM ranked
JOIN "case" ON "case".id = case_id
JOIN metric ON metric.id = metric_id
JOIN benchmark ON benchmark.id = metric.benchmark_id
WHERE rank IN ((trials + 1) / 2, (trials + 2) / 2)
GROUP BY target_id, case_id, metric_id`;

/** What every night of a suite measured, the oldest night first. Quarantined trials are left out. */
export async function selectHistory(
  connection: Connection,
  order: HistoryOrder,
): Promise<readonly NightValue[]> {
  const { suite, until, nights: count } = order;
  const rows = await connection.all<MedianRow>(medians, [suite, until, count]);
  const ids = new Set(rows.map(({ run_id }) => run_id));
  const runs = (await selectRuns(connection, 'all')).filter(({ id }) => ids.has(id));
  runs.sort((one, other) => one.startedAt.localeCompare(other.startedAt) || one.id - other.id);
  const targets = new Map<number, Target>();
  for (const { id } of runs) {
    for (const [row, target] of await selectTargets(connection, id)) targets.set(row, target);
  }
  const ofRun = groupRows(rows, ({ run_id }) => run_id);
  return runs.flatMap((run) =>
    ofRun(run.id).map((row) => ({
      run,
      target: launched(targets.get(row.target_id), row),
      benchmark: row.benchmark,
      benchmarkVersion: row.benchmark_version,
      caseName: row.case_name,
      metric: { id: row.id, title: row.title, unit: row.unit, direction: row.direction },
      isolated: row.isolated === 1,
      median: row.median,
      trials: row.trials,
    })),
  );
}

/** A phone's browser tells its version only when it is launched. */
function launched(target: Target | undefined, row: MedianRow): Target {
  if (target === undefined)
    throw new Error(`Target ${String(row.target_id)} is named but not there`);
  const { browser_name: name, browser_version: version } = row;
  if (name === null || version === null) return target;
  return version === target.browser.version ? target : { ...target, browser: { name, version } };
}
