import type { Connection } from './connection.ts';
import { exactNumbers } from './rows.ts';

/**
 * SQL for what counts of the run `of`, as one JSON array, which `schema.md` describes. Every join
 * follows a key or an index, so that it costs what the run holds and not what the database holds. Of a
 * browser's versions the newest is told; a trial that could not ask says nothing of it.
 */
export function mediansOf(of: string): string {
  return `(
  SELECT json_group_array(json_array(target_id, case_id, metric_id, browser_name, browser_version,
    isolated, json(medians)))
  FROM (
    SELECT cell.target_id, cell.case_id, trial_metric.metric_id,
      max(trial.browser_name) AS browser_name, max(trial.browser_version) AS browser_version,
      min(trial.isolated) AS isolated, ${exactNumbers('trial_metric.value')} AS medians
    FROM cell
    CROSS JOIN trial ON trial.cell_id = cell.id
    CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
    WHERE cell.run_id = ${of} AND trial.outcome = 'completed' AND trial.quarantine IS NULL
      AND trial_metric.value IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  )
)`;
}

/** Keeps what the history takes from a run that has finished. Inside a transaction. */
export async function keepHistory(connection: Connection, run: number): Promise<void> {
  await connection.all(
    `INSERT OR REPLACE INTO run_history (run_id, medians)
     SELECT id, ${mediansOf('run.id')} FROM run WHERE id = ?1 AND status = 'finished'`,
    [run],
  );
}

/** Of a run that goes on. Inside a transaction. */
export async function forgetHistory(connection: Connection, run: number): Promise<void> {
  await connection.all('DELETE FROM run_history WHERE run_id = ?1', [run]);
}
