import type { Measured } from '../../reports/findings.ts';
import { mean, median } from 'simple-statistics';
import type { Counterfactual } from '../model/question.ts';
import { medianSequence } from '../stats/median-sequence.ts';
import { runningIntervals } from '../stats/ratio-interval.ts';

/** Values of the blocks in which all sides have one. */
export interface EffectSeries {
  /** With the suspected cause. */
  readonly kept: readonly number[];
  /** With it switched off. */
  readonly gone: readonly number[];
  /** The side that the effect is measured against; empty for a level. */
  readonly other: readonly number[];
  readonly effect: Counterfactual['effect'];
}

/**
 * The share of an effect that goes when its suspected cause is switched off.
 *
 * For a ratio it is taken in logarithms, so that shares of independent causes add up:
 * ln(gone / kept) / ln(other / kept). For a level it is (kept − gone) / (kept − base), base being
 * the level without any effect. Numerator and denominator each get an interval at 1 − α/2 that holds
 * at every look, and the bounds are the extremes of their quotient: together they hold at 1 − α
 * (Bonferroni). It is wider than need be, and needs nothing to be known of how the two hang together.
 *
 * Without bounds when the denominator's interval holds 0: what is not there cannot be explained.
 */
export function explainedShare(series: EffectSeries, alpha: number): Measured | null {
  const { kept, gone, other, effect } = series;
  const at = (values: readonly number[], index: number): number => values[index] ?? NaN;
  const isRatio = effect.kind === 'ratio';
  const removed = kept.map((value, i) =>
    isRatio ? Math.log(at(gone, i)) - Math.log(value) : value - at(gone, i),
  );
  const whole = kept.map((value, i) =>
    isRatio ? Math.log(at(other, i)) - Math.log(value) : value - effect.base,
  );
  if (removed.length === 0 || ![...removed, ...whole].every(Number.isFinite)) return null;
  const top = isRatio ? meanBounds(removed, alpha / 2) : medianBounds(removed, alpha / 2);
  const bottom = isRatio ? meanBounds(whole, alpha / 2) : medianBounds(whole, alpha / 2);
  const value = top.value / bottom.value;
  if (!Number.isFinite(value)) return null;
  return { value, ...quotient(top, bottom) };
}

function meanBounds(values: readonly number[], alpha: number): Measured {
  const running = runningIntervals(values, alpha).at(-1);
  const bounds = running?.kind === 'bounded' ? running : { low: null, high: null };
  return { value: mean([...values]), low: bounds.low, high: bounds.high };
}

function medianBounds(values: readonly number[], alpha: number): Measured {
  const { low, high } = medianSequence(values, alpha);
  return { value: median([...values]), low, high };
}

function quotient(top: Measured, bottom: Measured): { low: number | null; high: number | null } {
  const unknown = { low: null, high: null };
  if (top.low === null || top.high === null || bottom.low === null || bottom.high === null) {
    return unknown;
  }
  if (bottom.low <= 0 && bottom.high >= 0) return unknown;
  const corners = [top.low, top.high].flatMap((numerator) =>
    [bottom.low, bottom.high].map((denominator) => numerator / (denominator ?? NaN)),
  );
  return { low: Math.min(...corners), high: Math.max(...corners) };
}
