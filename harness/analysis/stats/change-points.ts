import { median } from 'simple-statistics';
import { bestEnergySplit, type EnergySplit } from './energy-split.ts';
import { monteCarloP } from './monte-carlo-p.ts';
import {
  distancesOf,
  largestMemory,
  innovationsOf,
  nightsNoise,
  seriesOf,
  type NightsNoise,
} from './nights-noise.ts';
import type { SeededGenerator } from './random.ts';
import { requireFinite } from './refusal.ts';

/** A change of level inside a series. */
export interface ChangePoint {
  /** Index of the first value after the change. */
  readonly index: number;
  /** Probability of so strong a split, or a stronger one, where nothing changed. */
  readonly p: number;
}

export interface ChangePointRules {
  readonly generator: SeededGenerator;
  /** A split with a larger p is none. */
  readonly level?: number;
  /** Values on either side of a change that it takes. */
  readonly shortest?: number;
  readonly mostDraws?: number;
}

/** What is as rare as this in noise that remembers nothing but the night before is a change. */
const changeLevel = 0.005;

/** A change has at least so many nights on either side; a younger one is `freshStep`'s. */
export const shortestSegment = 6;

/**
 * The change points of a series, in order: E-divisive, made safe against memory and spikes.
 *
 * The best split by energy distance (`bestEnergySplit`) of all values is a change point when its p is
 * at most `level`; then both parts are searched in the same way. Two things differ from Matteson &
 * James's E-divisive, and from Apache Otava, which judges the same splits by a t-test:
 *
 * - p does not come from values in random order, which forget the night before. The innovations of
 *   an AR(1) process (`nightsNoise`, after both parts were put on one level) are put in random
 *   order, and a series is built from them again that remembers as much as the real one.
 * - Values further than three robust standard deviations from their part's median are drawn in to
 *   there, so that a spike is as strange as an outer value and no stranger.
 *
 * Assumption: beside level and spikes the noise is AR(1). What remembers more than that (a slow
 * drift) does look like changes. φ is estimated, so the level holds in simulation (the tests), not by
 * a theorem. Smallest n: 2 · `shortest`; fewer give no change point. `level` is for one search: each
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
  // What changed in the newest nights would else be taken for a change some nights before.
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

/** The best split; in the nights of the last few, too, of which no more is made than that they are apart. */
function splitOf(values: readonly number[], shortest: number): EnergySplit | null {
  const whole = nightsNoise(values);
  const rough = bestEnergySplit(distancesOf(values, whole), { shortest, shortestLast: 2 });
  if (rough === null) return null;
  // Once more, with spikes drawn in towards the level that they belong to.
  const drawnIn = drawnInSeries(values, rough);
  return bestEnergySplit(drawnIn.values, { shortest, shortestLast: 2 });
}

function probabilityOf(
  values: readonly number[],
  split: EnergySplit,
  { generator, shortest = shortestSegment, mostDraws = 999 }: ChangePointRules,
): number {
  const { values: drawnIn, noise, levelled } = drawnInSeries(values, split);
  // Where the parts were chosen to be unlike, what is left remembers too little: one standard error more.
  const doubt = Math.sqrt((1 - noise.memory ** 2) / values.length);
  const memory = Math.min(largestMemory, noise.memory + doubt);
  const innovations = innovationsOf(distancesOf(levelled, noise), memory);
  const strengthOf = (series: readonly number[]): number =>
    bestEnergySplit(series, { shortest })?.strength ?? 0;
  return monteCarloP({
    seen: strengthOf(drawnIn),
    draw: () => strengthOf(seriesOf(generator.shuffle(innovations), memory)),
    mostDraws,
    // More would be no change point at any level that is used.
    enough: 5,
  });
}

interface DrawnIn {
  /** In spreads of the noise, each no further than three of them from the median of its own part. */
  readonly values: readonly number[];
  /** All parts on one level, so that no step is taken for memory or for spread. */
  readonly levelled: readonly number[];
  readonly noise: NightsNoise;
}

function drawnInSeries(values: readonly number[], { index, end }: EnergySplit): DrawnIn {
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
