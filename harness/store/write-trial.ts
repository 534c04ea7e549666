import type { Job } from '../model/plan.ts';
import type { Outcome, Trial, TrialResult } from '../model/trial.ts';
import type { Connection, Value } from './connection.ts';
import { insertOne, insertRows, insertSamples } from './insert.ts';
import { insertReading } from './write-reading.ts';

/**
 * Stores one trial, inside a transaction. What the plan and the benchmark do not declare is refused
 * with a plain error, because the runner should not have let it through: a job that the run does
 * not have, a metric that is unknown or has another unit.
 */
export async function insertTrial(
  connection: Connection,
  run: number,
  trial: Trial,
): Promise<void> {
  const cell = await findCell(connection, run, trial.job);
  const { outcome } = trial;
  const id = await insertOne(connection, 'trial', {
    cell_id: cell,
    outcome: outcome.kind,
    started_at: trial.startedAt,
    wall_ms: trial.wallMs,
    browser_name: trial.browser?.name ?? null,
    browser_version: trial.browser?.version ?? null,
    node: trial.node === undefined ? null : JSON.stringify(trial.node),
    clock: trial.clock === undefined ? null : JSON.stringify(trial.clock),
    ...outcomeColumns(outcome),
  });
  await insertRows(
    connection,
    { table: 'attempt', columns: ['trial_id', 'number', 'failure_code', 'failure_message'] },
    trial.failedAttempts.map(({ number, failure }) => [id, number, failure.code, failure.message]),
  );
  if (outcome.kind !== 'completed') return;
  await insertResult(connection, { trial: id, cell }, outcome.result);
  for (const [position, reading] of outcome.readings.entries()) {
    await insertReading(connection, { trial: id, position }, reading);
  }
}

async function findCell(connection: Connection, run: number, job: Job): Promise<number> {
  const [cell] = await connection.all<{ id: number; benchmark: string; parameters: string }>(
    `SELECT cell.id, benchmark.name AS benchmark, "case".parameters
     FROM cell
     JOIN target ON target.id = cell.target_id
     JOIN "case" ON "case".id = cell.case_id
     JOIN benchmark ON benchmark.id = "case".benchmark_id
     WHERE cell.run_id = ? AND cell.ordinal = ? AND cell.block = ? AND target.device = ?`,
    [run, job.ordinal, job.block, job.deviceId],
  );
  const planned =
    cell?.benchmark === job.case.benchmark.id &&
    cell.parameters === JSON.stringify(job.case.parameters);
  if (!planned) {
    throw new Error(
      `Run ${String(run)} has no such cell: ordinal ${String(job.ordinal)}, block ${String(job.block)}, ${job.case.benchmark.id} on ${job.deviceId}`,
    );
  }
  return cell.id;
}

function outcomeColumns(outcome: Outcome): Readonly<Record<string, Value>> {
  switch (outcome.kind) {
    case 'completed': {
      const { result } = outcome;
      return {
        protocol: result.protocol,
        granule_us: result.clock.granuleUs,
        isolated: result.clock.isolated,
        user_agent: result.host.userAgent,
        hardware_concurrency: result.host.hardwareConcurrency,
        repeats: result.repeats,
        steadiness: result.steadiness,
        quarantine: outcome.quarantine.length === 0 ? null : JSON.stringify(outcome.quarantine),
      };
    }
    case 'failed':
    case 'timed-out':
      return { failure_code: outcome.failure.code, failure_message: outcome.failure.message };
    case 'skipped':
      return { reason: outcome.reason, remedy: outcome.remedy };
  }
}

async function insertResult(
  connection: Connection,
  of: { readonly trial: number; readonly cell: number },
  result: TrialResult,
): Promise<void> {
  const metrics = await connection.all<{ id: number; name: string; unit: string }>(
    `SELECT metric.id, metric.name, metric.unit
     FROM metric
     JOIN "case" ON "case".benchmark_id = metric.benchmark_id
     JOIN cell ON cell.case_id = "case".id
     WHERE cell.id = ?`,
    [of.cell],
  );
  const idOf = (name: string, unit: string): number => {
    const metric = metrics.find((one) => one.name === name && one.unit === unit);
    if (metric !== undefined) return metric.id;
    throw new Error(`The benchmark declares no metric "${name}" in ${unit}`);
  };
  const measured = result.samples.map((one) => ({ ...one, id: idOf(one.metric, one.unit) }));
  await insertRows(
    connection,
    { table: 'trial_metric', columns: ['trial_id', 'metric_id', 'position'] },
    measured.map(({ id }, position) => [of.trial, id, position]),
  );
  for (const { id, warmUp, timed } of measured) {
    const series = { trial: of.trial, metric: id };
    await insertSamples(connection, { ...series, phase: 'warm-up' }, warmUp);
    await insertSamples(connection, { ...series, phase: 'timed' }, timed);
  }
  await insertRows(
    connection,
    { table: 'counter', columns: ['trial_id', 'name', 'value'] },
    Object.entries(result.counters).map(([name, value]) => [of.trial, name, value]),
  );
}
