import type { Parameters } from '../../model/case.ts';
import type { PooledTrial, PoolWanted } from '../../model/history.ts';
import type { Connection } from '../connection.ts';

interface PoolRow {
  readonly trial: number;
  readonly target: number;
  readonly parameters: string;
  readonly value: number;
}

/**
 * Trials that count, of all runs that had the newest version of the benchmark: results of two
 * versions are never pooled. A case's values are given as JSON, so those of its parameters that are
 * asked for are compared one by one. Inside a transaction.
 */
export async function selectPool(
  connection: Connection,
  { benchmark, metric, parameters, most, targets, limit }: PoolWanted,
): Promise<readonly PooledTrial[]> {
  const rows = await connection.all<PoolRow>(
    `SELECT trial.id AS trial, cell.target_id AS target, "case".parameters,
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
     WHERE trial.outcome = 'completed' AND trial.quarantine IS NULL
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
  return rows.map((row) => ({
    trial: row.trial,
    target: row.target,
    parameters: JSON.parse(row.parameters) as Parameters,
    value: row.value,
  }));
}
