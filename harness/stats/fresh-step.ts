import { median } from 'simple-statistics';
import { monteCarloP } from './monte-carlo-p.ts';
import { distancesOf, innovationsOf, nightsNoise, type NightsNoise } from './nights-noise.ts';
import type { SeededGenerator } from './random.ts';
import { requireFinite } from './refusal.ts';

/** A change of level near the end of a series. */
export interface FreshStep {
  /** Index of the first value after the change. */
  readonly index: number;
  /** Probability of a step as strong as this, or stronger, where nothing changed. */
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

export interface FreshRules {
  /** The indices at which the change may have been, each the first value after it; ascending. */
  readonly splits: readonly number[];
  readonly generator: SeededGenerator;
  readonly mostDraws?: number;
}

/** Values before a change that it takes to know their level, their spread and their memory. */
export const fewestBefore = 10;

/**
 * Whether the level of a series changed at one of a few places near its end.
 *
 * The values are turned into distances z from the median of those before, in robust standard
 * deviations, no further than 3 of them, and then into innovations e_t = z_t − φ z_{t−1} with the φ of
 * `nightsNoise`. A step of size δ at s adds δ to e_s and (1 − φ) δ to every later one, so that
 *     T_s = |Σ_{t ≥ s} w_t (e_t − mean e)| / √(Σ w_t²),   w_s = 1, w_t = 1 − φ for t > s,
 * is the best statistic for it under normal noise: the generalised least-squares estimate of δ over
 * its error. The largest T_s over the given splits is held against the same of innovations in random
 * order (`monteCarloP`). The nights since s are drawn in towards their median first, in the data and not
 * in what is drawn, which errs on the side of silence: else one spike and a night a little off would
 * pass for a step.
 *
 * Not a permutation of blocks of nights: of n nights in blocks of b, two of n/b places put the
 * newest block at an end of the series, so that p cannot fall below 2b/n, whatever happened.
 *
 * Sources: Box & Tiao (1965), Biometrika 52:181–192 (a change of level in correlated noise);
 * Lehmann & Romano, Testing Statistical Hypotheses, 15.2 (permutation tests). Assumption: beside
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
  const innovations = innovationsOf(distances, noise.memory);
  const shape = shapeOf(innovations, splits, noise.memory);
  const strengths = splits.map((split) => {
    const agreed = innovationsOf(inAgreement(distances, split), noise.memory);
    return strengthAt(agreed.slice(first), split - first, shape);
  });
  const seen = Math.max(...strengths);
  const index = splits[strengths.indexOf(seen)] ?? first;
  const p = monteCarloP({
    // A hair less, so that a draw that is the data itself counts as strange as the data.
    seen: seen * (1 - 1e-12),
    draw: () => {
      const tail = draw(innovations, shape.length, generator);
      return Math.max(...shape.starts.map((start) => strengthAt(tail, start, shape)));
    },
    mostDraws,
  });
  return { index, p, noise, ...levels(values, index, noise) };
}

interface Shape {
  /** Of the tail: values from the first split on. */
  readonly length: number;
  /** Where in the tail a change may begin. */
  readonly starts: readonly number[];
  readonly mean: number;
  readonly laterWeight: number;
}

function shapeOf(innovations: readonly number[], splits: readonly number[], memory: number): Shape {
  const first = splits[0] ?? 0;
  return {
    length: innovations.length - first,
    starts: splits.map((split) => split - first),
    mean: innovations.reduce((sum, e) => sum + e, 0) / innovations.length,
    laterWeight: 1 - memory,
  };
}

/** T of a step at this place of the tail. */
function strengthAt(tail: readonly number[], start: number, { mean, laterWeight }: Shape): number {
  let sum = 0;
  for (let at = start; at < tail.length; at += 1) {
    sum += (at === start ? 1 : laterWeight) * ((tail[at] ?? 0) - mean);
  }
  const later = tail.length - start - 1;
  return Math.abs(sum) / Math.sqrt(1 + later * laterWeight ** 2);
}

/**
 * The distances, those from `split` on no further out than one spread beyond the middle one of them; of
 * an even number of nights beyond the middle one that is nearer to the old level. So a spike counts for
 * as much as the nights beside it bear out.
 */
function inAgreement(distances: readonly number[], split: number): readonly number[] {
  const later = distances.slice(split);
  const sorted = [...later].sort((a, b) => a - b);
  const low = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  const high = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const middle = Math.abs(low) < Math.abs(high) ? low : high;
  const [least, most] = [Math.min(middle, 0) - 1, Math.max(middle, 0) + 1];
  return [...distances.slice(0, split), ...later.map((z) => Math.min(most, Math.max(least, z)))];
}

/** So many of the items, each at most once, in random order: the beginning of a shuffle. */
function draw(
  items: readonly number[],
  count: number,
  generator: SeededGenerator,
): readonly number[] {
  const taken = new Map<number, number>();
  return Array.from({ length: count }, (_, place) => {
    // Fisher and Yates's shuffle of indices, of which only those are kept that were moved.
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
