import { formatQuantity } from '../../../reports/html/number.ts';
import { isCompleted, readValue } from '../analysis/series.ts';
import { caseName } from '../model/case.ts';
import { caseLabels, labelParts } from '../model/case-label.ts';
import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import type { RunListener } from '../run/listener.ts';

/**
 * Tells what the first block of a new run gave, as soon as it is over: minutes are long without a
 * number.
 * @param tell takes a line for each case
 */
export function firstNumbers(tell: (lines: readonly string[]) => void): RunListener {
  let awaited = new Set<number>();
  const trials: Trial[] = [];
  return {
    onRunStarted({ plan }) {
      const found = plan.presences.filter(({ status }) => status === 'found');
      const ids = new Set(found.map(({ device }) => device.id));
      const first = plan.jobs.filter(({ block, deviceId }) => block === 0 && ids.has(deviceId));
      awaited = new Set(first.map(({ ordinal }) => ordinal));
      trials.length = 0;
    },
    onTrialEnded({ trial }) {
      if (!awaited.delete(trial.job.ordinal)) return;
      trials.push(trial);
      if (awaited.size === 0) tell(describeFirst(trials));
    },
  };
}

function describeFirst(trials: readonly Trial[]): readonly string[] {
  const names = caseLabels(trials.map(({ job }) => labelParts(job.case)));
  const valuesOf = (name: string): string =>
    trials
      .filter(({ job }) => caseName(job.case) === name)
      .map((trial) => `${trial.job.deviceId} ${describeValue(trial)}`)
      .toSorted()
      .join(', ');
  const rows = [...names].map(([name, label]) => `  ${label}  ${valuesOf(name)}`);
  return ['the first trial of each, which decides nothing yet:', ...rows.toSorted()];
}

function describeValue(trial: Trial): string {
  const [metric]: Job['case']['benchmark']['metrics'] = trial.job.case.benchmark.metrics;
  const value = metric === undefined || !isCompleted(trial) ? null : readValue(trial, metric);
  if (value === null || metric === undefined) return trial.outcome.kind;
  return formatQuantity(value, { unit: metric.unit, resolution: 0 });
}
