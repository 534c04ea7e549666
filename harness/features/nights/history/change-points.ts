import { median } from 'simple-statistics';
import {
  monteCarloP,
  distancesOf,
  innovationsOf,
  largestMemory,
  nightsNoise,
  type NightsNoise,
  seriesOf,
} from './nights-noise.ts';
import type { SeededGenerator } from '../../../core/analysis/stats/random.ts';
import { requireFinite } from '../../../core/analysis/stats/refusal.ts';

/** A change of level inside a series. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** Probability of a split at least as strong if nothing changed. */
  readonly p: number;
}

interface ChangePointRules {
  readonly generator: SeededGenerator;
  /** A split with a larger p does not count. */
  readonly level?: number;
  /** Fewest values on either side of a change. */
  readonly shortest?: number;
  readonly mostDraws?: number;
}

/** A change is at most as probable in noise that remembers only the night before. */
const changeLevel = 0.005;

/** Fewest nights on either side of a change; `freshStep` finds younger ones. */
export const shortestSegment = 6;

/**
 * Finds the change points of a series, in order: E-divisive, made safe against memory and spikes.
 *
 * The best split by energy distance (`bestEnergySplit`) of all values is a change point when its p
 * is at most `level`; then both parts are searched in the same way. Two things differ from Matteson
 * & James's E-divisive, and from Apache Otava, which judges the same splits by a t-test:
 *
 * - p does not come from values in random order, which forget the night before. The innovations
 *   of an AR(1) process (`nightsNoise`, after both parts were put on one level) are put in random
 *   order, and a series is built from them again that remembers as much as the real one.
 * - Values further than three robust standard deviations from their part's median are drawn in to
 *   there, so that a spike is as strange as an outer value and no stranger.
 *
 * Assumption: besides level and spikes the noise is AR(1). Noise that remembers more (a slow drift)
 * looks like changes. φ is estimated, so the level holds in simulation (the tests), not by a
 * theorem. Smallest n: 2 · `shortest`; fewer give no change point. `level` is for one search: each
 * part is one more.
 *
 * @throws StatisticsRefusal `not-finite`.
 */
export function findChangePoints(
  values: readonly number[],
  rules: ChangePointRules,
): readonly ChangePoint[] {
  const { level = changeLevel, shortest = shortestSegment } = rules;
  if (values.length < 2 * shortest) return [];
  requireFinite(values, 'value');
  const split = splitOf(values, shortest);
  if (split === null) return [];
  // A change of the newest nights would otherwise be taken for one some nights before.
  if (values.length - split.index < shortest) {
    return findChangePoints(values.slice(0, split.index), rules);
  }
  const found = { index: split.index, p: probabilityOf(values, split, rules) };
  if (found.p > level) return [];
  const later = findChangePoints(values.slice(found.index), rules);
  return [
    ...findChangePoints(values.slice(0, found.index), rules),
    found,
    ...later.map(({ index, p }) => ({ index: index + found.index, p })),
  ];
}

/** Finds the best split, also in the last few nights, which are then only set apart. */
function splitOf(values: readonly number[], shortest: number): EnergySplit | null {
  const whole = nightsNoise(values);
  const rough = bestEnergySplit(distancesOf(values, whole), { shortest, shortestLast: 2 });
  if (rough === null) return null;
  // Again, with spikes limited towards their level.
  const drawnIn = drawnInSeries(values, rough);
  return bestEnergySplit(drawnIn.values, { shortest, shortestLast: 2 });
}

function probabilityOf(
  values: readonly number[],
  split: EnergySplit,
  { generator, shortest = shortestSegment, mostDraws = 999 }: ChangePointRules,
): number {
  const { values: drawnIn, noise, levelled } = drawnInSeries(values, split);
  // Parts that were chosen to be unlike leave too little memory: add one standard error.
  const doubt = Math.sqrt((1 - noise.memory ** 2) / values.length);
  const memory = Math.min(largestMemory, noise.memory + doubt);
  const innovations = innovationsOf(distancesOf(levelled, noise), memory);
  const strengthOf = (series: readonly number[]): number =>
    bestEnergySplit(series, { shortest })?.strength ?? 0;
  return monteCarloP({
    seen: strengthOf(drawnIn),
    draw: () => strengthOf(seriesOf(generator.shuffle(innovations), memory)),
    mostDraws,
    // More would be no change point at any level in use.
    enough: 5,
  });
}

interface ClippedSeries {
  /** In spreads of the noise, each at most three of them from the median of its part. */
  readonly values: readonly number[];
  /** All parts on one level, so that a step counts neither as memory nor as spread. */
  readonly levelled: readonly number[];
  readonly noise: NightsNoise;
}

function drawnInSeries(values: readonly number[], { index, end }: EnergySplit): ClippedSeries {
  const parts = [values.slice(0, index), values.slice(index, end), values.slice(end)].filter(
    (part) => part.length > 0,
  );
  const centres = parts.map((part) => median(part));
  const levelled = parts.flatMap((part, order) =>
    part.map((value) => value - (centres[order] ?? 0)),
  );
  const noise = nightsNoise(levelled, parts.length);
  const origin = centres[0] ?? 0;
  const drawnIn = parts.flatMap((part, order) => {
    const centre = centres[order] ?? 0;
    const distances = distancesOf(part, { centre, spread: noise.spread });
    return distances.map((z) => z + (centre - origin) / noise.spread);
  });
  return { values: drawnIn, levelled, noise };
}

/** The best split of a series, and the difference of its parts. */
interface EnergySplit {
  /** Index of the first value of the second part. */
  readonly index: number;
  /** Index after its last value; later values belong to neither part. */
  readonly end: number;
  /** Q, the scaled energy distance of the parts; about 0 or below where they are alike. */
  readonly strength: number;
}

interface SplitRules {
  /** Fewest values of each part; 2 or more. */
  readonly shortest: number;
  /** The same for a second part that reaches to the end of the series; `shortest` by default. */
  readonly shortestLast?: number;
}

/**
 * Finds the split of a series into two adjacent parts that differ most, by the energy distance with
 * exponent 1. The first part begins with the series, the second ends at the best place. A level
 * that went back later thus does not hide its beginning.
 *
 * Of x (the first m values) and y (the n values from `index` to `end`):
 *     Ê = 2/(mn) ΣΣ|x_i − y_j| − 2/(m(m−1)) Σ_{i<k}|x_i − x_k| − 2/(n(n−1)) Σ_{j<k}|y_j − y_k|
 *     Q = mn/(m + n) · Ê,
 * which is largest at a change of any property of the distribution.
 *
 * Sources: Matteson & James (2014), JASA 109:334–345 (E-divisive, (2.5) to (2.7)); Daly et al.
 * (2020), ICPE, brought it to performance tests. Takes n² / 2 steps, by sums of distances that grow
 * with the end: S(m, end) = Σ|v_i − v_j| over i < m, j < end.
 *
 * @returns null for a series that is shorter than two parts.
 */
export function bestEnergySplit(
  values: readonly number[],
  { shortest, shortestLast = shortest }: SplitRules,
): EnergySplit | null {
  const all = values.length;
  const shareOf = reciprocals(all);
  const series = Float64Array.from(values);
  // Row m of S at the present end, and S(m, m), which is twice the sum over all pairs of the first m.
  const rows = new Float64Array(all + 1);
  const squares = new Float64Array(all + 1);
  let best: EnergySplit | null = null;
  for (let end = 1; end <= all; end += 1) {
    const value = at(series, end - 1);
    const least = end === all ? shortestLast : shortest;
    let toEarlier = 0;
    for (let m = 1; m < end; m += 1) {
      toEarlier += Math.abs(value - at(series, m - 1));
      rows[m] = at(rows, m) + toEarlier;
    }
    const square = at(squares, end - 1) + 2 * toEarlier;
    rows[end] = square;
    squares[end] = square;
    for (let m = shortest; m <= end - least; m += 1) {
      const n = end - m;
      const row = at(rows, m);
      const first = at(squares, m);
      // Twice the sums over the pairs between the parts, and inside the second one.
      const cross = 2 * (row - first);
      const second = square - 2 * row + first;
      // Q, with mn and m + n taken into the sum.
      const inside = first * n * at(shareOf, m - 1) + second * m * at(shareOf, n - 1);
      const strength = (cross - inside) * at(shareOf, end);
      if (best === null || strength > best.strength) best = { index: m, end, strength };
    }
  }
  return best;
}

let known = new Float64Array();

/**
 * 1 / k for k up to `count`: a division takes several times as long as a product, and there are n²
 * of them.
 */
function reciprocals(count: number): Float64Array {
  if (known.length <= count) known = Float64Array.from({ length: 2 * count + 1 }, (_, k) => 1 / k);
  return known;
}

/** An existing value, for the compiler. */
function at(values: Float64Array, index: number): number {
  return values[index] ?? NaN;
}
