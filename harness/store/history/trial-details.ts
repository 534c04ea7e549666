import type { WholeSamples } from '../../model/history.ts';
import type { Reading } from '../../model/reading.ts';
import type { Connection } from '../connection.ts';
import { selectReadings } from '../read-reading.ts';
import { trialItself } from '../rows.ts';

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

/** Every sample of one trial; null when there is no such trial. Inside a transaction. */
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
    ...{ metric, unit },
    warmUp: JSON.parse(warm_up) as readonly number[],
    timed: JSON.parse(timed) as readonly number[],
  }));
}

/** What the probes gave for one trial; null when there is no such trial. Inside a transaction. */
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
