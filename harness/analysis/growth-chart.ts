import type { GrowthChart, GrowthFit } from '../../reports/findings.ts';
import type { Growth } from '../model/case.ts';
import { groupBy } from './grouping.ts';
import type { Series } from './series.ts';
import { fitGrowth } from './stats/growth.ts';
import { medianInterval } from './stats/median-interval.ts';

/**
 * Growth curves of every benchmark that declares one: the first metric over its parameter `over`,
 * a curve for each target × value of `by`, a chart for each combination of the other parameters.
 */
export function makeGrowthCharts(series: readonly Series[]): readonly GrowthChart[] {
  const growing = series.filter(
    (one) => one.case.benchmark.growth && one.metric === one.case.benchmark.metrics[0],
  );
  const charts = groupBy(growing, (one) => `${one.case.benchmark.id}\n${fixedParameters(one)}`);
  return [...charts.values()].flatMap((group) => {
    const first = group[0];
    const growth = first?.case.benchmark.growth;
    if (first === undefined || growth === undefined) return [];
    const points = ofCurves(group.flatMap((one) => pointOf(one, growth)));
    if (points.length === 0) return [];
    return [
      {
        benchmark: first.case.benchmark.id,
        title: first.case.benchmark.title,
        metric: first.metric.title,
        unit: first.metric.unit,
        over: growth.over,
        by: growth.by,
        fixed: fixedParameters(first),
        points,
        fits: fitCurves(points),
        theory: theoryOf(growth, points),
      },
    ];
  });
}

/** Points of curves of one step tell nothing of growth. */
function ofCurves(points: GrowthChart['points']): GrowthChart['points'] {
  const steps = groupBy(points, ({ by }) => by);
  return points.filter(({ by }) => new Set(steps.get(by)?.map(({ x }) => x)).size >= 2);
}

/** What theory says of the curves that are there. */
function theoryOf({ theory = {} }: Growth, points: GrowthChart['points']): GrowthChart['theory'] {
  const drawn = new Set(points.map((point) => point.by));
  return Object.entries(theory)
    .filter(([by]) => drawn.has(by))
    .map(([by, { perStep, label }]) => ({ by, perStep, label }));
}

function pointOf(series: Series, growth: Growth): readonly GrowthChart['points'][number][] {
  if (series.values.length === 0) return [];
  const { median, low, high } = medianInterval(series.values.map((one) => one.value));
  const { parameters } = series.case;
  return [
    {
      targetId: series.deviceId,
      by: String(parameters[growth.by]),
      x: Number(parameters[growth.over]),
      y: median,
      low,
      high,
    },
  ];
}

function fixedParameters({ case: { benchmark, parameters } }: Series): string {
  return benchmark.parameters
    .map((parameter) => parameter.name)
    .filter((name) => name !== benchmark.growth?.over && name !== benchmark.growth?.by)
    .map((name) => `${name} = ${String(parameters[name])}`)
    .join(', ');
}

/** A line through two points always fits: only a third shows how well. */
const fewestPoints = 3;

/** The growth per step of every curve with at least three positive points, in the order of the points. */
export function fitCurves(points: GrowthChart['points']): readonly GrowthFit[] {
  const positive = points.filter(({ y }) => y > 0 && Number.isFinite(y));
  const curves = groupBy(positive, ({ targetId, by }) => `${targetId}\n${by}`);
  return [...curves.values()].flatMap((curve) => {
    const [first] = curve;
    const steps = new Set(curve.map(({ x }) => x)).size;
    if (first === undefined || steps < fewestPoints) return [];
    return [{ targetId: first.targetId, by: first.by, ...fitGrowth(curve) }];
  });
}
