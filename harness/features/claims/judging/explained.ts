import type { MeasuredNumber } from '../../../results/index.ts';
import { median } from 'simple-statistics';
import type { Counterfactual } from '../../../model/question.ts';
import { medianSequence } from '../../../analysis/stats/median-interval.ts';
import { runningIntervals } from '../../../analysis/stats/ratio-interval.ts';
import { typicalLogRatio } from '../../../analysis/stats/typical-ratio.ts';

/** Values of the blocks in which all sides have one. */
interface EffectSeries {
  /** With the suspected cause. */
  readonly kept: readonly number[];
  /** With it switched off. */
  readonly gone: readonly number[];
  /** The side that the effect is measured against; empty for a level. */
  readonly other: readonly number[];
  readonly effect: Counterfactual['effect'];
}

export type Explanation =
  | { readonly kind: 'share'; readonly share: MeasuredNumber }
  /** The share alone: there are too few blocks for bounds. */
  | { readonly kind: 'too-few-blocks'; readonly share: MeasuredNumber | null }
  /** No effect was shown that could be explained. */
  | { readonly kind: 'no-effect' };

/**
 * Returns the share of an effect that disappears when its suspected cause is switched off.
 *
 * For a ratio it is taken in logarithms, so that shares of independent causes add up: ln(gone /
 * kept) / ln(other / kept). For a level it is (kept − gone) / (kept − base), base being the level
 * without any effect. Numerator and denominator each get an interval at 1 − α/2 that holds at every
 * look, and the bounds are the extremes of their quotient: together they hold at 1 − α
 * (Bonferroni). That is wider than necessary, and needs no knowledge of their dependence.
 *
 * `no-effect` if the denominator's interval holds 0.
 *
 * The share is that of the change on its own side; the other side may change as well.
 */
export function explainedShare(series: EffectSeries, alpha: number): Explanation {
  const { kept, gone, other, effect } = series;
  const at = (values: readonly number[], index: number): number => values[index] ?? NaN;
  const isRatio = effect.kind === 'ratio';
  const removed = kept.map((value, i) =>
    isRatio ? Math.log(at(gone, i)) - Math.log(value) : value - at(gone, i),
  );
  const whole = kept.map((value, i) =>
    isRatio ? Math.log(at(other, i)) - Math.log(value) : value - effect.base,
  );
  if (removed.length === 0 || ![...removed, ...whole].every(Number.isFinite)) {
    return { kind: 'too-few-blocks', share: null };
  }
  const top = isRatio ? ratioBounds(removed, alpha / 2) : medianBounds(removed, alpha / 2);
  const bottom = isRatio ? ratioBounds(whole, alpha / 2) : medianBounds(whole, alpha / 2);
  return divided(top, bottom);
}

function ratioBounds(values: readonly number[], alpha: number): MeasuredNumber {
  const running = runningIntervals(values, alpha).at(-1);
  const bounds = running?.kind === 'bounded' ? running : { low: null, high: null };
  return { value: typicalLogRatio(values), low: bounds.low, high: bounds.high };
}

function medianBounds(values: readonly number[], alpha: number): MeasuredNumber {
  const { low, high } = medianSequence(values, alpha);
  return { value: median([...values]), low, high };
}

function divided(top: MeasuredNumber, bottom: MeasuredNumber): Explanation {
  const value = top.value / bottom.value;
  if (top.low === null || top.high === null || bottom.low === null || bottom.high === null) {
    const share = Number.isFinite(value) ? { value, low: null, high: null } : null;
    return { kind: 'too-few-blocks', share };
  }
  if (bottom.low <= 0 && bottom.high >= 0) return { kind: 'no-effect' };
  const denominators = [bottom.low, bottom.high];
  const corners = [top.low, top.high].flatMap((numerator) =>
    denominators.map((denominator) => numerator / denominator),
  );
  const share = { value, low: Math.min(...corners), high: Math.max(...corners) };
  return { kind: 'share', share };
}
