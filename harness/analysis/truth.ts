import type { TruthChart } from '../../reports/findings.ts';
import { groupBy } from './grouping.ts';
import type { Series } from './series.ts';
import { makeCell } from './table.ts';
import { secondsPer } from './time-units.ts';

/**
 * Recorded against true, for every benchmark that declares a truth: its first metric over the
 * parameter that it should equal, a chart for each combination of the other parameters.
 */
export function makeTruthCharts(series: readonly Series[]): readonly TruthChart[] {
  const tested = series.filter(
    (one) => one.case.benchmark.truth && one.metric === one.case.benchmark.metrics[0],
  );
  const charts = groupBy(tested, (one) => `${one.case.benchmark.id}\n${otherParameters(one)}`);
  return [...charts.values()].flatMap((group) => {
    const [first] = group;
    const points = group.flatMap(pointOf);
    if (first === undefined || points.length === 0) return [];
    const { benchmark } = first.case;
    return [
      {
        title: benchmark.title,
        metric: first.metric.title,
        unit: first.metric.unit,
        parameter: benchmark.truth?.parameter ?? '',
        fixed: otherParameters(first),
        points,
      },
    ];
  });
}

function pointOf(series: Series): readonly TruthChart['points'][number][] {
  const cell = makeCell(series);
  const expected = trueValue(series);
  if (cell.kind === 'missing' || expected === null) return [];
  const { targetId, median, low, high, trials, resolution } = cell;
  return [{ targetId, expected, recorded: median, low, high, trials, resolution }];
}

/** The parameter in the metric's unit; null for what cannot be converted, or is no positive number. */
function trueValue({ case: { benchmark, parameters }, metric }: Series): number | null {
  const { truth } = benchmark;
  if (truth === undefined) return null;
  const [from, to] = [secondsPer[truth.unit], secondsPer[metric.unit]];
  const value = Number(parameters[truth.parameter]);
  if (from === undefined || to === undefined || !(value > 0)) return null;
  return (value * from) / to;
}

function otherParameters({ case: { benchmark, parameters } }: Series): string {
  return benchmark.parameters
    .map(({ name }) => name)
    .filter((name) => name !== benchmark.truth?.parameter)
    .map((name) => `${name} = ${String(parameters[name])}`)
    .join(', ');
}
