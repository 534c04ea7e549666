import type {
  Crossing,
  CrossingPlace,
  CrossoverChart,
  GrowthChart,
  GrowthFit,
  TruthChart,
} from '../results/index.ts';
import { type Benchmark, type Crossover, type Growth, secondsPer } from '../model/case.ts';
import { groupBy } from './grouping.ts';
import type { Series } from './series.ts';
import { findCrossing, type BlockCurves } from './stats/crossing.ts';
import { fitGrowth } from './stats/growth.ts';
import { medianInterval } from './stats/median-interval.ts';
import { makeCell } from './table.ts';

/** The series of one chart: the first metric of a benchmark, by the parameters that are drawn. */
interface ChartSeries {
  readonly first: Series;
  readonly series: readonly Series[];
  /** The parameters that are not drawn: `run = warm`. */
  readonly fixed: string;
}

/**
 * One chart for each combination of the parameters that are not drawn.
 * @param drawn names the drawn parameters of a benchmark; undefined for one that has no such chart.
 */
function groupCharts(
  all: readonly Series[],
  drawn: (benchmark: Benchmark) => readonly string[] | undefined,
): readonly ChartSeries[] {
  const declared = all.filter(
    ({ case: { benchmark }, metric }) => drawn(benchmark) && metric === benchmark.metrics[0],
  );
  const fixedOf = ({ case: { benchmark, parameters } }: Series): string =>
    benchmark.parameters
      .map(({ name }) => name)
      .filter((name) => !drawn(benchmark)?.includes(name))
      .map((name) => `${name} = ${String(parameters[name])}`)
      .join(', ');
  const groups = groupBy(declared, (one) => `${one.case.benchmark.id}\n${fixedOf(one)}`);
  return [...groups.values()].flatMap((series) => {
    const [first] = series;
    return first === undefined ? [] : [{ first, series, fixed: fixedOf(first) }];
  });
}

// ---------------------------------------------------------------- growth

/**
 * Growth curves of every benchmark that declares one: over its parameter `over`, a curve for each
 * target × value of `by`.
 */
export function makeGrowthCharts(all: readonly Series[]): readonly GrowthChart[] {
  const charts = groupCharts(all, ({ growth }) => growth && [growth.over, growth.by]);
  return charts.flatMap(({ first, series, fixed }) => {
    const { benchmark } = first.case;
    const { growth } = benchmark;
    if (growth === undefined) return [];
    const points = ofCurves(series.flatMap((one) => growthPoint(one, growth)));
    if (points.length === 0) return [];
    return [
      {
        benchmark: benchmark.id,
        title: benchmark.title,
        metric: first.metric.title,
        unit: first.metric.unit,
        over: growth.over,
        by: growth.by,
        fixed,
        points,
        fits: fitCurves(points),
        theory: theoryOf(growth, points),
      },
    ];
  });
}

/** Leaves out curves of one step, which show no growth. */
function ofCurves(points: GrowthChart['points']): GrowthChart['points'] {
  const steps = groupBy(points, ({ by }) => by);
  return points.filter(({ by }) => new Set(steps.get(by)?.map(({ x }) => x)).size >= 2);
}

/** The theory of the curves that have points. */
function theoryOf({ theory = {} }: Growth, points: GrowthChart['points']): GrowthChart['theory'] {
  const drawn = new Set(points.map((point) => point.by));
  return Object.entries(theory)
    .filter(([by]) => drawn.has(by))
    .map(([by, { perStep, label }]) => ({ by, perStep, label }));
}

function growthPoint(
  { values, deviceId, case: { parameters } }: Series,
  { over, by }: Growth,
): GrowthChart['points'] {
  if (values.length === 0) return [];
  const { median, low, high } = medianInterval(values.map(({ value }) => value));
  const [x, curve] = [Number(parameters[over]), String(parameters[by])];
  return [{ targetId: deviceId, by: curve, x, y: median, low, high }];
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

// ---------------------------------------------------------------- crossover

/**
 * Where one choice begins to win, for every benchmark that declares a crossover: over the parameter
 * `over`, each value of `by` against the value `base`. Only for metrics of which less is better.
 */
export function makeCrossoverCharts(all: readonly Series[]): readonly CrossoverChart[] {
  const charts = groupCharts(all, ({ crossover }) => crossover && [crossover.over, crossover.by]);
  return charts.flatMap(({ first, series, fixed }) => {
    const { crossover, title } = first.case.benchmark;
    if (crossover === undefined || first.metric.direction !== 'lower') return [];
    const pairs = pairsOf(series, crossover).filter(({ amounts }) => amounts.length >= 2);
    if (pairs.length === 0) return [];
    return [
      {
        title,
        metric: first.metric.title,
        over: crossover.over,
        by: crossover.by,
        base: String(crossover.base),
        fixed,
        points: pairs.flatMap(pointsOf),
        crossings: pairs.map(crossingOf),
      },
    ];
  });
}

/** A value of `by` on a target and the base, in the blocks that measured both at every amount. */
interface CurvePair {
  readonly targetId: string;
  readonly by: string;
  readonly amounts: readonly number[];
  readonly blocks: readonly BlockCurves[];
}

/** The costs of one curve: by amount, then by block. */
type Curve = ReadonlyMap<number, ReadonlyMap<number, number>>;

function pairsOf(group: readonly Series[], { over, by, base }: Crossover): readonly CurvePair[] {
  const targets = groupBy(group, (one) => one.deviceId);
  return [...targets].flatMap(([targetId, ours]) => {
    const curves = groupBy(ours, ({ case: { parameters } }) => String(parameters[by]));
    const baseCurve = toCurve(curves.get(String(base)) ?? [], over);
    return [...curves]
      .filter(([value]) => value !== String(base))
      .map(([value, curve]) => ({
        targetId,
        by: value,
        ...commonBlocks(baseCurve, toCurve(curve, over)),
      }));
  });
}

function toCurve(series: readonly Series[], over: string): Curve {
  return new Map(
    series
      .map(({ case: { parameters }, values }): [number, ReadonlyMap<number, number>] => [
        Number(parameters[over]),
        new Map(values.filter(({ value }) => value > 0).map(({ block, value }) => [block, value])),
      ])
      .filter(([amount]) => amount > 0),
  );
}

/** The amounts that any block measured on both sides, and the blocks that measured them all. */
function commonBlocks(base: Curve, other: Curve): Pick<CurvePair, 'amounts' | 'blocks'> {
  const both = [...base].flatMap(([amount, costs]) => {
    const common = [...costs.keys()].filter((block) => other.get(amount)?.has(block));
    return common.length > 0 ? [{ amount, common }] : [];
  });
  const amounts = both.map(({ amount }) => amount).toSorted((a, b) => a - b);
  const [first, ...rest] = both.map(({ common }) => common);
  const whole = (first ?? []).filter((block) => rest.every((common) => common.includes(block)));
  if (whole.length === 0) return { amounts: [], blocks: [] };
  const costs = (curve: Curve, block: number): number[] =>
    amounts.map((amount) => curve.get(amount)?.get(block) ?? NaN);
  return {
    amounts,
    blocks: whole.map((block) => ({ base: costs(base, block), other: costs(other, block) })),
  };
}

function pointsOf({ targetId, by, amounts, blocks }: CurvePair): CrossoverChart['points'] {
  return amounts.map((amount, i) => {
    const ratios = blocks.map(({ base, other }) => (other[i] ?? NaN) / (base[i] ?? NaN));
    const { median, low, high } = medianInterval(ratios);
    return { targetId, by, x: amount, y: median, low, high };
  });
}

function crossingOf({ targetId, by, amounts, blocks }: CurvePair): Crossing {
  const { at, low, high, ...rest } = findCrossing(amounts, blocks);
  return {
    targetId,
    by,
    at: crossingPlace(at),
    low: crossingPlace(low),
    high: crossingPlace(high),
    ...rest,
    smallest: amounts[0] ?? NaN,
    largest: amounts.at(-1) ?? NaN,
  };
}

function crossingPlace(amount: number): CrossingPlace {
  if (Number.isFinite(amount)) return amount;
  return amount < 0 ? 'always' : 'never';
}

// ---------------------------------------------------------------- truth

/**
 * Recorded against true, for every benchmark that declares a truth: its first metric over the
 * parameter that it should equal.
 */
export function makeTruthCharts(all: readonly Series[]): readonly TruthChart[] {
  const charts = groupCharts(all, ({ truth }) => truth && [truth.parameter]);
  return charts.flatMap(({ first, series, fixed }) => {
    const { title, truth } = first.case.benchmark;
    const points = series.flatMap(truthPoint);
    if (points.length === 0) return [];
    const { title: metric, unit } = first.metric;
    return [{ title, metric, unit, parameter: truth?.parameter ?? '', fixed, points }];
  });
}

function truthPoint(series: Series): TruthChart['points'] {
  const cell = makeCell(series);
  const expected = trueValue(series);
  if (cell.kind === 'missing' || expected === null) return [];
  const { targetId, centre, low, high, trials, resolution } = cell;
  return [{ targetId, expected, recorded: centre, low, high, trials, resolution }];
}

/**
 * The parameter in the metric's unit; null if it cannot be converted or is not a positive number.
 */
function trueValue({ case: { benchmark, parameters }, metric }: Series): number | null {
  const { truth } = benchmark;
  if (truth === undefined) return null;
  const [from, to] = [secondsPer[truth.unit], secondsPer[metric.unit]];
  const value = Number(parameters[truth.parameter]);
  if (from === undefined || to === undefined || !(value > 0)) return null;
  return (value * from) / to;
}
