import type { CaseRow, Cell } from '../results/index.ts';
import type { PairVerdict } from '../results/verdicts.ts';
import { caseLabels, labelParts } from '../model/case-label.ts';
import { unsteadyLabel } from '../model/trial-value.ts';
import { groupBy } from './grouping.ts';
import { isDrawnBySoftware } from './displays.ts';
import type { CommandOf } from './repeat-command.ts';
import { findResolution, type Series, type TrialValue } from './series.ts';
import { medianInterval } from './stats/median-interval.ts';
import { listSpeeds } from './steady-state.ts';

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

/**
 * Makes the cell of one case on one target: its median and interval, or the reason why it is empty.
 */
export function makeCell(series: Series): Cell {
  const { deviceId: targetId, values } = series;
  if (values.length === 0) return { kind: 'missing', targetId, why: whyMissing(series) };
  const quarantined = series.quarantined.map((one) => one.value);
  const numbers = values.map((one) => one.value);
  const speeds = listSpeeds(series);
  const isSoftware = isDrawnBySoftware(
    values.map(({ trial }) => trial),
    series.metric,
  );
  const { median: centre, ...interval } = medianInterval(numbers);
  return {
    kind: 'measured',
    targetId,
    centre,
    ...interval,
    trials: values.length,
    values: numbers,
    resolution: Math.max(
      ...values.map(({ trial }) => findResolution(trial.outcome.result, series.metric)),
    ),
    ...(speeds.length > 0 && { speeds }),
    unsteady: countUnsteady(values),
    ...(isSoftware && { drawnBy: 'software' as const }),
    ...(quarantined.length > 0 && { quarantined }),
    ...(values === series.quarantined && { fromQuarantined: true }),
  };
}

/**
 * Gives each cell that is compared the centre that divides to its ratio, and moves its interval with it.
 * A side of two speeds has no centre: both cells then keep their medians.
 */
export function withCentres(
  rows: readonly CaseRow[],
  pairs: readonly PairVerdict[],
): readonly CaseRow[] {
  const keyOf = (...parts: readonly string[]): string => parts.join('\n');
  const cells = new Map(
    rows.flatMap(({ caseName, metric, cells: ours }) =>
      ours.map((cell) => [keyOf(caseName, metric, cell.targetId), cell] as const),
    ),
  );
  const centres = new Map(
    pairs.flatMap(({ a, b, metric, ratio }) => {
      const key = keyOf(a.caseName, metric, a.targetId);
      const [one, base] = [cells.get(key), cells.get(keyOf(b.caseName, metric, b.targetId))];
      if (one?.kind !== 'measured' || base?.kind !== 'measured') return [];
      const hasCentre = one.speeds === undefined && base.speeds === undefined && one.centre > 0;
      return hasCentre && ratio > 0 ? [[key, centreBeside(base.centre, ratio)] as const] : [];
    }),
  );
  return rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => {
      const centre = centres.get(keyOf(row.caseName, row.metric, cell.targetId));
      if (centre === undefined || cell.kind === 'missing') return cell;
      const moved = centre / cell.centre;
      return { ...cell, centre, low: cell.low * moved, high: cell.high * moved };
    }),
  }));
}

/** The typical value of a compared side, shown next to the other's and their ratio. */
export function centreBeside(base: number, ratio: number): number {
  return base * ratio;
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
