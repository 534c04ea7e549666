import type { Crossing, CrossingPlace, CrossoverChart } from '../../reports/findings.ts';
import type { Crossover } from '../model/case.ts';
import { groupBy } from './grouping.ts';
import type { Series } from './series.ts';
import { medianInterval } from './stats/median-interval.ts';

/** What one block measured of both curves: a cost at each amount of work. */
export interface BlockCurves {
  readonly base: readonly number[];
  readonly other: readonly number[];
}

/**
 * From which amount of work on the other costs less than the base. −∞: it already does at the
 * smallest amount that was measured; +∞: not even at the largest.
 */
interface CrossingInterval {
  readonly at: number;
  readonly low: number;
  readonly high: number;
  /** Coverage that the interval really has, 0–1. */
  readonly confidence: number;
  readonly blocks: number;
}

/** Whoever never costs at least this share less does not win: the farm's margin of relevance. */
const leastGain = 0.02;

/**
 * The amount of work at which one way of doing it begins to cost less than another, such as workers
 * that have to be started against the thread that is there.
 *
 * Model: both costs are a fixed part and a part for each unit of work, base(c) = f + u·c and
 * other(c) = F + U·c, with noise that multiplies. Where the fixed part is the larger and the part
 * for each unit the smaller one, the two cross at c* = (F − f) / (u − U), and other / base falls all
 * the way.
 *
 * In each block, by itself:
 *
 * 1. ln(other / base) at each amount, made to fall: the non-increasing sequence that is nearest by
 *    least squares (pool adjacent violators: Ayer et al. 1955, Ann. Math. Stat. 26:641). So noise
 *    near the crossing gives one change of sign, not several.
 * 2. If it never falls below −ln(1 + `leastGain`), the other never wins: +∞. Else, if it is at most
 *    0 from the start, −∞.
 * 3. Else between the last amount a above 0 and the first one b at or below, the difference
 *    d = other − base is taken as a straight line: c* = a + (b − a) · d(a) / (d(a) − d(b)). By the
 *    model that is exact, however far a and b are apart. A straight line in logarithms is not: the
 *    curve sags, and where the other ends up twice as fast the crossing would come out up to 9 %
 *    too late in steps of half a decade, and 40 % in whole ones.
 *
 * Over blocks it is the median, with the distribution-free interval of `medianInterval`. The infinite
 * values have a place in that order like any other. The median of an even number of blocks is the
 * geometric mean of the middle two; when one of them is infinite, the later one.
 *
 * Assumptions: blocks are independent; noise is as likely to favour one side as the other, so that
 * the median block crosses where the curves do; a unit of work costs the same at every amount (a
 * compiler that comes late bends the curve). Nothing is said of amounts that were not measured.
 *
 * Smallest n: 1 block, of which the confidence is 0; 6 for 95 %.
 *
 * @param amounts rising, at least two, all above 0
 * @param blocks at least one; as many costs as amounts, all above 0
 */
export function findCrossing(
  amounts: readonly number[],
  blocks: readonly BlockCurves[],
): CrossingInterval {
  // A typed array sorts by number, and knows where the infinities go.
  const sorted = Float64Array.from(blocks, (block) => crossingOfBlock(amounts, block)).sort();
  // The interval of the places 0 … n − 1 in that order is the interval of what stands there.
  const { median, low, high, confidence } = medianInterval(Array.from(sorted.keys()));
  const at = (place: number): number => sorted[place] ?? NaN;
  return {
    at: between(at(Math.floor(median)), at(Math.ceil(median))),
    low: at(low),
    high: at(high),
    confidence,
    blocks: blocks.length,
  };
}

function between(earlier: number, later: number): number {
  return Number.isFinite(earlier) && Number.isFinite(later) ? Math.sqrt(earlier * later) : later;
}

function crossingOfBlock(amounts: readonly number[], { base, other }: BlockCurves): number {
  const ratios = fallingFit(amounts.map((_, i) => Math.log(at(other, i)) - Math.log(at(base, i))));
  if (at(ratios, ratios.length - 1) > -Math.log1p(leastGain)) return Infinity;
  const first = ratios.findIndex((ratio) => ratio <= 0);
  if (first === 0) return -Infinity;
  const difference = (i: number): number => at(base, i) * Math.expm1(at(ratios, i));
  const [before, after] = [difference(first - 1), difference(first)];
  const [from, to] = [at(amounts, first - 1), at(amounts, first)];
  return from + ((to - from) * before) / (before - after);
}

interface Pool {
  readonly mean: number;
  readonly size: number;
}

/** The non-increasing sequence with the smallest sum of squared distances to the given one. */
export function fallingFit(values: readonly number[]): readonly number[] {
  const pools: Pool[] = [];
  for (const value of values) {
    let pool: Pool = { mean: value, size: 1 };
    for (
      let last = pools.at(-1);
      last !== undefined && last.mean < pool.mean;
      last = pools.at(-1)
    ) {
      pools.pop();
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  }
  return pools.flatMap(({ mean, size }) => Array.from({ length: size }, () => mean));
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? NaN;
}

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
    at: crossingPlace(at),
    low: crossingPlace(low),
    high: crossingPlace(high),
    ...sure,
    smallest: amounts[0] ?? NaN,
    largest: amounts.at(-1) ?? NaN,
  };
}

function crossingPlace(amount: number): CrossingPlace {
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
