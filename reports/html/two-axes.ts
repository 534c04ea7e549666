import type { CrossoverChart, GrowthChart, TruthChart } from '../../harness/results/curves.ts';
import { html, type Html, raw } from './escape.ts';

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
