import type { CrossoverChart, GrowthChart, TruthChart } from '../../harness/core/results/curves.ts';
import { html, type Html, raw } from './escape.ts';

/** Axes of charts: their marks, and a logarithmic one with a linear twin. */

/** The least and the largest. */
export function findEnds(values: readonly number[]): [number, number] {
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

/** Chooses at most `most` of them, evenly. */
export function thinned(values: readonly number[], most: number): number[] {
  const step = Math.ceil(values.length / most);
  return values.filter((_, i) => i % step === 0);
}

/** Those in rising order whose labels do not touch: each such a part of their range after the one before. */
export function apart(values: readonly number[], parts = 9): number[] {
  const least = (Math.max(...values) - Math.min(...values)) / parts;
  const kept: number[] = [];
  for (const value of values) {
    const before = kept.at(-1);
    if (before === undefined || value - before >= least) kept.push(value);
  }
  return kept;
}

/** Powers of ten; with few of them also 2 and 5 times; with many only some of the powers. */
export function logTicks(from: number, to: number): number[] {
  const first = Math.floor(Math.log10(from));
  const decades = Math.log10(to / from);
  const factors = decades < 3 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: Math.ceil(decades) + 2 }, (_, i) => first + i);
  const all = powers.flatMap((power) => factors.map((factor) => factor * 10 ** power));
  return thinned(
    all.filter((tick) => tick >= from && tick <= to),
    9,
  );
}

/** Of ratios near 1, at most eight even steps, 1 among them; of far ones as on any logarithmic axis. */
export function ratioTicks(from: number, to: number): number[] {
  if (to / from > 4) return logTicks(from, to);
  const least = (to - from) / 7;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  // A hair more: 0.003 / 0.001 is 2.9999999999998916 in floating point.
  const below = Math.floor((1 - from) / step + 1e-9);
  const above = Math.floor((to - 1) / step + 1e-9);
  return Array.from({ length: Math.max(0, above + below + 1) }, (_, i) => 1 + (i - below) * step);
}

/** At most six even steps of 1, 2 or 5 times a power of ten. */
export function linearTicks(from: number, to: number): number[] {
  if (!(to > from)) return [from];
  const least = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= least * (1 - 1e-9)) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/**
 * A chart on a logarithmic axis may have a twin on a linear one. The stylesheet shows the first, and
 * the second once the script has marked the page, so without JavaScript one sees the usual one.
 */

export type AxisKind = 'log' | 'linear';

/** Both drawings in one place; without a second one the first is always shown. */
export function inBothAxes(log: string, linear: string | null): Html {
  if (linear === null) return raw(log);
  return raw(`<div class="log">${log}</div><div class="linear">${linear}</div>`);
}

/** Note about the axis of the visible drawing. */
export function axisNote({ twin, log, linear }: AxisNote): Html {
  if (!twin) return html`${log}`;
  return html`<span class="log">${log}</span><span class="linear">${linear}</span>`;
}

interface AxisNote {
  /** There is a drawing on a linear axis, too. */
  readonly twin: boolean;
  readonly log: string;
  readonly linear: string;
}

/** A point weighs about a quarter of a kilobyte in each of its drawings. */
const mostPoints = 1_000;

interface Curves {
  readonly growth: readonly GrowthChart[];
  readonly crossover: readonly CrossoverChart[];
  readonly truth: readonly TruthChart[];
}

/**
 * Decides whether curves are drawn on both kinds of axis: not where the file would grow by much.
 */
export function drawnTwice({ growth, crossover, truth }: Curves): boolean {
  const points = [...growth, ...crossover, ...truth].reduce(
    (sum, one) => sum + one.points.length,
    0,
  );
  return points <= mostPoints;
}
