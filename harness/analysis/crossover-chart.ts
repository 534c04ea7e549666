import type { Crossing, CrossingPlace, CrossoverChart } from '../../reports/findings.ts';
import type { Crossover } from '../model/case.ts';
import { medianInterval } from './stats/median-interval.ts';
import { findCrossing, type BlockCurves } from './crossover.ts';
import { groupBy } from './grouping.ts';
import type { Series } from './series.ts';

/**
 * Where one choice begins to win, for every benchmark that declares a crossover: its first metric
 * over the parameter `over`, each value of `by` against the value `base`, a chart for each
 * combination of the other parameters. Only for metrics of which less is better.
 */
export function makeCrossoverCharts(series: readonly Series[]): readonly CrossoverChart[] {
  const declared = series.filter(
    ({ case: { benchmark }, metric }) =>
      benchmark.crossover && metric === benchmark.metrics[0] && metric.direction === 'lower',
  );
  const charts = groupBy(declared, (one) => `${one.case.benchmark.id}\n${otherParameters(one)}`);
  return [...charts.values()].flatMap((group) => {
    const first = group[0];
    const crossover = first?.case.benchmark.crossover;
    if (first === undefined || crossover === undefined) return [];
    const pairs = pairsOf(group, crossover).filter((pair) => pair.amounts.length >= 2);
    if (pairs.length === 0) return [];
    return [
      {
        title: first.case.benchmark.title,
        metric: first.metric.title,
        over: crossover.over,
        by: crossover.by,
        base: String(crossover.base),
        fixed: otherParameters(first),
        points: pairs.flatMap(pointsOf),
        crossings: pairs.map(crossingOf),
      },
    ];
  });
}

/** A value of `by` on a target, beside the base, in the blocks that measured both at every amount. */
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
  const { at, low, high, ...sure } = findCrossing(amounts, blocks);
  return {
    targetId,
    by,
    at: placeOf(at),
    low: placeOf(low),
    high: placeOf(high),
    ...sure,
    smallest: amounts[0] ?? NaN,
    largest: amounts.at(-1) ?? NaN,
  };
}

function placeOf(amount: number): CrossingPlace {
  if (Number.isFinite(amount)) return amount;
  return amount < 0 ? 'always' : 'never';
}

function otherParameters({ case: { benchmark, parameters } }: Series): string {
  const { crossover } = benchmark;
  return benchmark.parameters
    .map(({ name }) => name)
    .filter((name) => name !== crossover?.over && name !== crossover?.by)
    .map((name) => `${name} = ${String(parameters[name])}`)
    .join(', ');
}
