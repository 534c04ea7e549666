import { median } from 'simple-statistics';
import { trialValue } from '../model/trial-value.ts';
import type { Outcome, Trial, TrialResult } from '../model/trial.ts';
import type { Value } from './connection.ts';
import { oneRow, type TableRows } from './insert.ts';
import { rowsOfReading } from './reading-rows.ts';

/** Where a trial belongs, and what it is told apart by. */
export interface TrialPlace {
  readonly trial: number;
  readonly cell: number;
}

/** The number of a metric that the trial's benchmark declares. @throws Error where it declares none. */
export type MetricOf = (name: string, unit: string) => number;

/** A trial as rows, without its samples, which are many and alike: see `insertSamples`. Pure. */
export function rowsOfTrial(
  trial: Trial,
  place: TrialPlace,
  metricOf: MetricOf,
): readonly TableRows[] {
  const { outcome, failedAttempts } = trial;
  const id = place.trial;
  const ending = oneRow('trial', {
    id,
    cell_id: place.cell,
    outcome: outcome.kind,
    started_at: trial.startedAt,
    wall_ms: trial.wallMs,
    browser_name: trial.browser?.name ?? null,
    browser_version: trial.browser?.version ?? null,
    node: trial.node === undefined ? null : JSON.stringify(trial.node),
    clock: trial.clock === undefined ? null : JSON.stringify(trial.clock),
    waited_ms: trial.waitedMs ?? null,
    ...outcomeColumns(outcome),
  });
  const attempts = failedAttempts.map(({ number, failure: { code, message } }) =>
    oneRow('attempt', { trial_id: id, number, failure_code: code, failure_message: message }),
  );
  if (outcome.kind !== 'completed') return [ending, ...attempts];
  return [
    ...[ending, ...attempts, ...rowsOfResult(id, outcome.result, metricOf)],
    ...outcome.readings.flatMap((reading, position) =>
      rowsOfReading({ trial: id, position }, reading),
    ),
  ];
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
        steady_state: result.steadyState === undefined ? null : JSON.stringify(result.steadyState),
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

function rowsOfResult(
  trial: number,
  result: TrialResult,
  metricOf: MetricOf,
): readonly TableRows[] {
  const { samples, counters } = result;
  return [
    ...samples.map(({ metric, unit, timed }, position) => {
      const middle = timed.length === 0 ? null : median([...timed]);
      const row = { trial_id: trial, metric_id: metricOf(metric, unit), position };
      const value = trialValue(result, metric);
      return oneRow('trial_metric', { ...row, median: middle, value });
    }),
    ...Object.entries(counters).map(([name, value]) =>
      oneRow('counter', { trial_id: trial, name, value }),
    ),
  ];
}
