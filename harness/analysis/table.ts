import type { CaseRow, Cell } from '../../reports/findings/index.ts';
import { caseLabels, labelParts } from '../model/case-label.ts';
import { unsteadyLabel } from '../model/trial-value.ts';
import { groupBy } from './grouping.ts';
import type { CommandOf } from './repeat-command.ts';
import { resolutionOf, type Series, type TrialValue } from './series.ts';
import { medianInterval } from './stats/median-interval.ts';
import { speedsOf } from './steady-state.ts';

/**
 * Makes the rows of the comparison table: one for each case × metric, with a cell for each target.
 */
export function makeRows(series: readonly Series[], commandOf: CommandOf): readonly CaseRow[] {
  const labels = caseLabels(series.map((one) => labelParts(one.case)));
  const grouped = groupBy(series, (one) => `${one.caseName}\n${one.metric.id}`);
  return [...grouped.values()].flatMap((group) => {
    const first = group[0];
    if (first === undefined) return [];
    const { case: one, metric } = first;
    return [
      {
        caseName: first.caseName,
        label: labels.get(first.caseName) ?? first.caseName,
        benchmark: one.benchmark.id,
        parameters: one.parameters,
        metric: metric.id,
        unit: metric.unit,
        direction: metric.direction,
        cells: group.map(makeCell),
        command: commandOf(group),
      },
    ];
  });
}

/** Makes the cell of one case on one target: its median and interval, or why there is none. */
export function makeCell(series: Series): Cell {
  const { deviceId: targetId, values } = series;
  if (values.length === 0) return { kind: 'missing', targetId, why: whyMissing(series) };
  const quarantined = series.quarantined.map((one) => one.value);
  const numbers = values.map((one) => one.value);
  const speeds = speedsOf(series);
  return {
    kind: 'measured',
    targetId,
    ...medianInterval(numbers),
    trials: values.length,
    values: numbers,
    resolution: Math.max(
      ...values.map(({ trial }) => resolutionOf(trial.outcome.result, series.metric)),
    ),
    ...(speeds.length > 0 && { speeds }),
    unsteady: countUnsteady(values),
    ...(quarantined.length > 0 && { quarantined }),
    ...(values === series.quarantined && { fromQuarantined: true }),
  };
}

function whyMissing({ others }: Series): string {
  const outcome = others.at(-1)?.outcome;
  switch (outcome?.kind) {
    case undefined:
    case 'completed':
      return 'not run yet';
    case 'skipped':
      return `skipped: ${outcome.reason}`;
    case 'failed':
    case 'timed-out':
      return `${outcome.kind}: ${outcome.failure.message}`;
  }
}

function countUnsteady(values: readonly TrialValue[]): { label: string; trials: number }[] {
  const labels = values.flatMap(({ trial }) => unsteadyLabel(trial.outcome.result) ?? []);
  return [...groupBy(labels, (label) => label)].map(([label, ours]) => ({
    label,
    trials: ours.length,
  }));
}
