import { median } from 'simple-statistics';
import {
  monteCarloP,
  distancesOf,
  innovationsOf,
  nightsNoise,
  spikeLimit,
  type NightsNoise,
} from './nights-noise.ts';
import type { SeededGenerator } from '../../../core/analysis/stats/random.ts';
import { requireFinite } from '../../../core/analysis/stats/refusal.ts';

/** A change of level near the end of a series. */
export interface FreshStep {
  /** Index of the first value after the change. */
  readonly index: number;
  /** Probability of a step at least as strong if nothing changed. */
  readonly p: number;
  /** Level before and after: medians, in the values' own unit. */
  readonly before: number;
  readonly after: number;
  /** Values after the change that lie at least one spread beyond the level before it, on its side. */
  readonly agreeing: number;
  /** Values after the change. */
  readonly nights: number;
  /** Noise of the values before. */
  readonly noise: NightsNoise;
}

interface FreshRules {
  /** The possible indices of the change, each the first value after it; ascending. */
  readonly splits: readonly number[];
  readonly generator: SeededGenerator;
  readonly mostDraws?: number;
}

/** Fewest values before a change to know their level, spread and memory. */
export const fewestBefore = 10;

/**
 * Finds whether the level of a series changed at one of a few places near its end.
 *
 * The values become distances z from the median of those before, in robust standard deviations, at
 * most 3 of them, and then innovations e_t = z_t − φ z_{t−1} with the φ of `nightsNoise`. A step of
 * size δ at s adds δ to e_s and (1 − φ) δ to every later one, so that
 *     T_s = |Σ_{t ≥ s} w_t (e_t − mean e)| / √(Σ w_t²),   w_s = 1, w_t = 1 − φ for t > s,
 * is the best statistic for it under normal noise: the generalised least-squares estimate of δ over
 * its error. The nights since s are drawn in towards their median first: else one spike and a night
 * a little off would pass for a step. The largest T_s over the given splits is held against the
 * same of nights that are built, and drawn in, from innovations in random order (`monteCarloP`).
 * Innovations of earlier spikes, and of the nights after them, are not among those: no night
 * remembers a spike. Spikes fall on the nights that are built as often as they fell on earlier ones
 * (by the rule of succession), so that two of them in a row are as rare as they are, and no rarer.
 *
 * A permutation of blocks of nights does not work: of n nights in blocks of b, two of n/b places
 * put the newest block at an end of the series, so p cannot fall below 2b/n.
 *
 * Sources: Box & Tiao (1965), Biometrika 52:181–192 (a change of level in correlated noise);
 * Lehmann & Romano, Testing Statistical Hypotheses, 15.2 (permutation tests). Assumption: besides
 * spikes the noise is AR(1); φ is estimated, so the level is held in simulation (the tests), not by
 * a theorem. Smallest n: `fewestBefore` values before the first split, and one after the last.
 *
 * @returns null where there are too few values before.
 * @throws StatisticsRefusal `empty`, `not-finite`.
 */
export function freshStep(values: readonly number[], rules: FreshRules): FreshStep | null {
  requireFinite(values, 'value');
  const { splits, generator, mostDraws = 9_999 } = rules;
  const first = splits[0] ?? values.length;
  if (first < fewestBefore || first >= values.length) return null;
  const noise = nightsNoise(values.slice(0, first));
  const distances = distancesOf(values, noise);
  const pool = usualInnovations(distances, noise.memory, first);
  const shape: Shape = {
    starts: splits.map((split) => split - first),
    before: distances[first - 1] ?? 0,
    mean: pool.reduce((sum, e) => sum + e, 0) / pool.length,
    memory: noise.memory,
  };
  const tail = distances.slice(first);
  const spikes = spikesOf(distances.slice(0, first));
  const strengths = shape.starts.map((start) => strengthAt(tail, start, shape));
  const seen = Math.max(...strengths);
  const index = splits[strengths.indexOf(seen)] ?? first;
  const p = monteCarloP({
    // A hair less, so that a draw that is the data itself counts as strange as the data.
    seen: seen * (1 - 1e-12),
    draw: () => {
      const usual = nightsFrom(draw(pool, tail.length, generator), shape);
      const drawn = withSpikes(usual, spikes, generator);
      return Math.max(...shape.starts.map((start) => strengthAt(drawn, start, shape)));
    },
    mostDraws,
  });
  return { index, p, noise, ...levels(values, index, noise) };
}

interface Shape {
  /** Places in the tail (the nights from the first split on) at which a change may begin. */
  readonly starts: readonly number[];
  /** Distance of the night before the tail. */
  readonly before: number;
  /** Of the innovations. */
  readonly mean: number;
  readonly memory: number;
}

/** All innovations but those of spikes before `first`, and of the nights after them. */
function usualInnovations(
  distances: readonly number[],
  memory: number,
  first: number,
): readonly number[] {
  const isSpike = (index: number): boolean =>
    index < first && Math.abs(distances[index] ?? 0) >= spikeLimit;
  const all = innovationsOf(distances, memory);
  const usual = all.filter((_, index) => !isSpike(index) && !isSpike(index - 1));
  // If a coarse clock gives most nights one value, every other night is a spike: too many to leave
  // out.
  return usual.length >= fewestBefore ? usual : all;
}

/** Builds nights that continue from the one before with these innovations. */
function nightsFrom(innovations: readonly number[], { before, memory }: Shape): readonly number[] {
  let last = before;
  return innovations.map((innovation) => {
    last = Math.min(spikeLimit, Math.max(-spikeLimit, memory * last + innovation));
    return last;
  });
}

/**
 * The share of nights that are spikes, and the share of those above the level: by Laplace's rule of
 * succession.
 */
interface Spikes {
  readonly rate: number;
  readonly above: number;
}

function spikesOf(distances: readonly number[]): Spikes {
  const spikes = distances.filter((z) => Math.abs(z) >= spikeLimit);
  const above = spikes.filter((z) => z > 0).length;
  return {
    rate: (spikes.length + 1) / (distances.length + 2),
    above: (above + 1) / (spikes.length + 2),
  };
}

function withSpikes(
  nights: readonly number[],
  { rate, above }: Spikes,
  generator: SeededGenerator,
): readonly number[] {
  return nights.map((z) => {
    if (generator.uniform() >= rate) return z;
    return generator.uniform() < above ? spikeLimit : -spikeLimit;
  });
}

/** T of a step at this place of the tail. */
function strengthAt(
  tail: readonly number[],
  start: number,
  { before, mean, memory }: Shape,
): number {
  const nights = inAgreement(tail.slice(start));
  let last = start === 0 ? before : (tail[start - 1] ?? 0);
  let sum = 0;
  for (const [order, night] of nights.entries()) {
    sum += (order === 0 ? 1 : 1 - memory) * (night - memory * last - mean);
    last = night;
  }
  return Math.abs(sum) / Math.sqrt(1 + (nights.length - 1) * (1 - memory) ** 2);
}

/**
 * Limits nights after a step to one spread beyond their middle one; of an even number of nights to
 * one spread beyond the middle one nearer to the old level. So a spike counts for as much as the
 * adjacent nights support.
 */
function inAgreement(nights: readonly number[]): readonly number[] {
  const sorted = [...nights].sort((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const middle = Math.abs(low) < Math.abs(high) ? low : high;
  const [least, most] = [Math.min(middle, 0) - 1, Math.max(middle, 0) + 1];
  return nights.map((z) => Math.min(most, Math.max(least, z)));
}

/** Draws a number of the items, each at most once, in random order: the beginning of a shuffle. */
function draw(
  items: readonly number[],
  count: number,
  generator: SeededGenerator,
): readonly number[] {
  const taken = new Map<number, number>();
  return Array.from({ length: count }, (_, place) => {
    // Fisher and Yates's shuffle of indices, which keeps only the moved ones.
    const chosen = place + generator.nextInt(items.length - place);
    const index = taken.get(chosen) ?? chosen;
    taken.set(chosen, taken.get(place) ?? place);
    return items[index] ?? 0;
  });
}

function levels(
  values: readonly number[],
  index: number,
  noise: NightsNoise,
): Pick<FreshStep, 'before' | 'after' | 'agreeing' | 'nights'> {
  const later = values.slice(index);
  const before = noise.centre;
  const after = median([...later]);
  const side = Math.sign(after - before);
  const agreeing = later.filter((value) => side * (value - before) >= noise.spread).length;
  return { before, after, agreeing, nights: later.length };
}
