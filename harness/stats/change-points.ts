import { median } from 'simple-statistics';
import { bestEnergySplit } from './energy-split.ts';
import { monteCarloP } from './monte-carlo-p.ts';
import { distancesOf, innovationsOf, nightsNoise, seriesOf } from './nights-noise.ts';
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
export const changeLevel = 0.005;

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
  const found = splitOf(values, shortest, rules);
  if (found === null || found.p > level) return [];
  const later = findChangePoints(values.slice(found.index), rules);
  return [
    ...findChangePoints(values.slice(0, found.index), rules),
    found,
    ...later.map(({ index, p }) => ({ index: index + found.index, p })),
  ];
}

function splitOf(
  values: readonly number[],
  shortest: number,
  { generator, mostDraws = 999 }: ChangePointRules,
): ChangePoint | null {
  const noise = nightsNoise(values);
  const best = bestEnergySplit(distancesOf(values, noise), shortest);
  if (best === null) return null;
  const parts = [values.slice(0, best.index), values.slice(best.index)];
  // On one level, so that the step itself is not taken for memory or for spread.
  const levelled = parts.flatMap((part) => {
    const centre = median(part);
    return part.map((value) => value - centre);
  });
  const own = nightsNoise(levelled, parts.length);
  const innovations = innovationsOf(distancesOf(levelled, own), own.memory);
  const drawn = (): readonly number[] => seriesOf(generator.shuffle(innovations), own.memory);
  // In the spreads of the levelled values, as what is drawn: a step must not widen its own measure.
  const seen = bestEnergySplit(clamped(values, parts, own.spread), shortest);
  if (seen === null) return null;
  const p = monteCarloP({
    seen: seen.strength,
    draw: () => bestEnergySplit(drawn(), shortest)?.strength ?? 0,
    mostDraws,
    // More would be no change point at any level that is used.
    enough: 5,
  });
  return { index: seen.index, p };
}

/** Values in spreads, each drawn in towards the median of its own part. */
function clamped(
  values: readonly number[],
  parts: readonly (readonly number[])[],
  spread: number,
): readonly number[] {
  const origin = values[0] ?? 0;
  return parts.flatMap((part) => {
    const centre = median([...part]);
    return distancesOf(part, { centre, spread }).map((z) => z + (centre - origin) / spread);
  });
}
