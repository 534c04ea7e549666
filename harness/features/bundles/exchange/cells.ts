import { isCompleted, readValue } from '../../../core/analysis/series.ts';
import { caseName, type Case } from '../../../core/model/case.ts';
import { describeEmulation, type Presence } from '../../../core/model/device.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { renderCsv, type CsvValue } from '../../../core/csv.ts';

/**
 * A run as a table: one row for each cell × metric, its value the trial's (`model/trial-value.ts`).
 * A cell without numbers has one row that says how it ended.
 */
export function renderCells(record: RunRecord): string {
  const parameters = parametersOf(record);
  const trials = new Map(record.trials.map((trial) => [trial.job.ordinal, trial]));
  const presences = new Map(record.presences.map((presence) => [presence.device.id, presence]));
  const rows = record.jobs.flatMap((job) => {
    const trial = trials.get(job.ordinal);
    const front = [
      ...[record.run.id, record.run.suite, record.run.isolation, record.run.machine.hostname],
      ...targetColumns(presences.get(job.deviceId), trial),
      ...[job.case.benchmark.id, job.case.benchmark.version, caseName(job.case)],
      ...parameters.map((name) => parameterOf(job.case, name)),
      ...[job.block, job.ordinal, job.repeats ?? null],
      ...endingColumns(trial),
    ];
    const place = placeColumns(trial);
    return metricColumns(trial).map((metric) => [...front, ...metric, ...place]);
  });
  return renderCsv([headOf(parameters), ...rows]);
}

function headOf(parameters: readonly string[]): readonly string[] {
  return [
    ...['run', 'suite', 'isolation', 'machine'],
    ...['device', 'driver', 'browser', 'version', 'emulated'],
    ...['benchmark', 'benchmark_version', 'case'],
    ...parameters.map((name) => `parameter_${name}`),
    ...['block', 'cell', 'repeats'],
    ...['outcome', 'reason', 'quarantine', 'started_at', 'wall_ms'],
    ...['metric', 'value', 'unit', 'direction', 'iterations', 'steadiness', 'granule_us'],
    ...['node', 'clock_offset_ms', 'clock_error_ms'],
  ];
}

function parametersOf({ jobs }: RunRecord): readonly string[] {
  const names = jobs.flatMap((job) => job.case.benchmark.parameters.map(({ name }) => name));
  return [...new Set(names)];
}

function parameterOf({ parameters }: Case, name: string): CsvValue {
  const value = parameters[name];
  return typeof value === 'boolean' ? String(value) : (value ?? null);
}

function targetColumns(presence: Presence | undefined, trial: Trial | undefined): CsvValue[] {
  if (presence === undefined) return [null, null, null, null, null];
  const { device } = presence;
  const found = presence.status === 'found' ? presence.target.browser : null;
  const browser = trial?.browser ?? found;
  const [name, version] = browser ? [browser.name, browser.version] : [device.browser, null];
  return [device.id, device.driver, name, version, describeEmulation(device)];
}

function endingColumns(trial: Trial | undefined): CsvValue[] {
  if (trial === undefined) return ['none', null, null, null, null];
  const { outcome, startedAt, wallMs } = trial;
  const [reason, quarantine] = why(outcome);
  return [outcome.kind, reason, quarantine, startedAt, wallMs];
}

/** Of a remote browser: its node, and its clock against the farm's. */
function placeColumns(trial: Trial | undefined): CsvValue[] {
  const { node, clock } = trial ?? {};
  return [node?.name ?? node?.id ?? null, clock?.offsetMs ?? null, clock?.errorMs ?? null];
}

function why(outcome: Trial['outcome']): readonly [string | null, string | null] {
  switch (outcome.kind) {
    case 'completed':
      return [null, outcome.quarantine.length === 0 ? null : outcome.quarantine.join('; ')];
    case 'failed':
    case 'timed-out':
      return [`${outcome.failure.code}: ${outcome.failure.message}`, null];
    case 'skipped':
      return [outcome.reason, null];
  }
}

const noMetric: readonly CsvValue[] = [null, null, null, null, null, null, null];

function metricColumns(trial: Trial | undefined): readonly (readonly CsvValue[])[] {
  if (trial === undefined || !isCompleted(trial)) return [noMetric];
  const { result } = trial.outcome;
  return trial.job.case.benchmark.metrics.flatMap((metric) => {
    const value = readValue(trial, metric);
    const samples = result.samples.find((one) => one.metric === metric.id);
    if (value === null || samples === undefined) return [];
    return [
      [
        ...[metric.id, value, metric.unit, metric.direction, samples.timed.length],
        ...[result.steadiness, result.clock.granuleUs],
      ],
    ];
  });
}
