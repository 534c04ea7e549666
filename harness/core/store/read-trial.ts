import { believable } from '../model/credible.ts';
import type { GridNode } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type {
  ClockAlignment,
  FailureCode,
  Outcome,
  SteadyState,
  Trial,
  TrialResult,
} from '../model/trial.ts';
import type { Connection } from './connection.ts';
import { selectReadings } from './readings.ts';
import { exactNumbers, groupRows, trialsOfRun } from './rows.ts';

/**
 * The columns of an outcome are typed as that outcome has them: which of them are null is held by
 * the table's CHECK constraints.
 */
interface TrialRow {
  readonly id: number;
  readonly ordinal: number;
  readonly outcome: Outcome['kind'];
  readonly started_at: string;
  readonly wall_ms: number;
  readonly browser_name: string | null;
  readonly browser_version: string | null;
  readonly failure_code: FailureCode;
  readonly failure_message: string;
  readonly reason: string;
  readonly remedy: string;
  readonly granule_us: number;
  readonly isolated: number;
  readonly user_agent: string;
  readonly hardware_concurrency: number | null;
  readonly repeats: number;
  readonly steadiness: TrialResult['steadiness'];
  readonly steady_state: string | null;
  readonly quarantine: string | null;
  readonly node: string | null;
  readonly clock: string | null;
  readonly waited_ms: number | null;
  readonly page_errors: string | null;
}

interface AttemptRow {
  readonly trial_id: number;
  readonly number: number;
  readonly failure_code: FailureCode;
  readonly failure_message: string;
}

interface MetricRow {
  readonly trial_id: number;
  readonly metric_id: number;
  readonly name: string;
  readonly unit: string;
}

interface SampleRow {
  readonly trial_id: number;
  readonly metric_id: number;
  readonly phase: 'warm-up' | 'timed';
  readonly iterations: string;
}

interface CounterRow {
  readonly trial_id: number;
  readonly name: string;
  readonly value: number;
}

/**
 * All trials of a run that have an outcome, in the order of the plan; or those that other SQL, which
 * takes the same number, gives. One with numbers that cannot be believed counts as failed.
 */
export async function selectTrials(
  connection: Connection,
  run: number,
  jobs: readonly Job[],
  trials = trialsOfRun,
): Promise<readonly Trial[]> {
  const planned = new Map(jobs.map((job) => [job.ordinal, job]));
  const rows = await connection.all<TrialRow>(
    `SELECT trial.*, cell.ordinal FROM trial JOIN cell ON cell.id = trial.cell_id
     WHERE trial.id IN (${trials}) ORDER BY cell.ordinal`,
    [run],
  );
  const attempts = groupRows(
    await connection.all<AttemptRow>(
      `SELECT * FROM attempt WHERE trial_id IN (${trials}) ORDER BY number`,
      [run],
    ),
    ({ trial_id }) => trial_id,
  );
  const outcomeOf = await selectOutcomes(connection, run, trials);
  return rows.map((row) => {
    const job = planned.get(row.ordinal);
    if (job === undefined) throw new Error(`Trial ${String(row.id)} has no planned cell`);
    return believable({
      job,
      outcome: outcomeOf(row),
      browser:
        row.browser_name === null || row.browser_version === null
          ? null
          : { name: row.browser_name, version: row.browser_version },
      ...(row.node !== null && { node: JSON.parse(row.node) as GridNode }),
      ...(row.clock !== null && { clock: JSON.parse(row.clock) as ClockAlignment }),
      ...(row.waited_ms !== null && { waitedMs: row.waited_ms }),
      failedAttempts: attempts(row.id).map(({ number, failure_code, failure_message }) => ({
        number,
        failure: { code: failure_code, message: failure_message },
      })),
      startedAt: row.started_at,
      wallMs: row.wall_ms,
    });
  });
}

async function selectOutcomes(
  connection: Connection,
  run: number,
  trials: string,
): Promise<(row: TrialRow) => Outcome> {
  const resultOf = await selectResults(connection, run, trials);
  const readingsOf = await selectReadings(connection, run, trials);
  return (row) => {
    switch (row.outcome) {
      case 'completed':
        return {
          kind: row.outcome,
          result: resultOf(row),
          readings: readingsOf(row.id),
          quarantine: row.quarantine === null ? [] : (JSON.parse(row.quarantine) as string[]),
        };
      case 'failed':
      case 'timed-out':
        return {
          kind: row.outcome,
          failure: { code: row.failure_code, message: row.failure_message },
        };
      case 'skipped':
        return { kind: row.outcome, reason: row.reason, remedy: row.remedy };
    }
  };
}

async function selectResults(
  connection: Connection,
  run: number,
  trials: string,
): Promise<(row: TrialRow) => TrialResult> {
  const metrics = groupRows(
    await connection.all<MetricRow>(
      `SELECT trial_id, metric_id, name, unit
       FROM trial_metric JOIN metric ON metric.id = metric_id
       WHERE trial_id IN (${trials}) ORDER BY trial_metric.position`,
      [run],
    ),
    ({ trial_id }) => trial_id,
  );
  const samples = groupRows(
    await connection.all<SampleRow>(
      `SELECT trial_id, metric_id, phase, ${exactNumbers('value', 'iteration')} AS iterations
       FROM sample WHERE trial_id IN (${trials}) GROUP BY trial_id, metric_id, phase`,
      [run],
    ),
    ({ trial_id }) => trial_id,
  );
  const counters = groupRows(
    await connection.all<CounterRow>(`SELECT * FROM counter WHERE trial_id IN (${trials})`, [run]),
    ({ trial_id }) => trial_id,
  );
  return (row) => ({
    // The only version of the protocol that this schema knows.
    protocol: 1,
    clock: { granuleUs: row.granule_us, isolated: row.isolated === 1 },
    host: { userAgent: row.user_agent, hardwareConcurrency: row.hardware_concurrency },
    repeats: row.repeats,
    steadiness: row.steadiness,
    ...(row.steady_state !== null && {
      steadyState: JSON.parse(row.steady_state) as SteadyState,
    }),
    samples: metrics(row.id).map(({ metric_id, name, unit }) => {
      const valuesOf = (phase: SampleRow['phase']): readonly number[] => {
        const own = samples(row.id).find(
          (one) => one.metric_id === metric_id && one.phase === phase,
        );
        return own === undefined ? [] : (JSON.parse(own.iterations) as number[]);
      };
      return { metric: name, unit, warmUp: valuesOf('warm-up'), timed: valuesOf('timed') };
    }),
    ...(row.page_errors !== null && { errors: JSON.parse(row.page_errors) as string[] }),
    counters: Object.fromEntries(counters(row.id).map(({ name, value }) => [name, value])),
  });
}
