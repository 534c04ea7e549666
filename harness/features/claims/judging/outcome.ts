import type { MeasuredNumber, PartVerdict } from '../../../core/results/index.ts';
import type { Assertion, Expectation, Counterfactual } from '../../../core/model/question.ts';
import { median } from 'simple-statistics';
import { medianSequence } from '../../../core/analysis/stats/median-interval.ts';
import { runningIntervals } from '../../../core/analysis/stats/ratio-interval.ts';
import { typicalLogRatio } from '../../../core/analysis/stats/typical-ratio.ts';

/** The truth of an assertion, as far as it is known. */
type AssertionOutcome = 'holds' | 'fails' | 'open';
type SizeOutcome = 'as published' | 'smaller' | 'larger' | 'open' | 'not published';

/** The outcome of one assertion by one number. */
export interface Outcome {
  readonly outcome: AssertionOutcome;
  readonly direction: PartVerdict;
  readonly size: SizeOutcome;
  /** Shown to be equal within 2 % although one side should be larger: no direction can be shown. */
  readonly equal: boolean;
}

/**
 * The measured number at both levels: confirming takes α, refuting α over the number of assertions.
 */
interface MeasuredLevels {
  readonly usual: MeasuredNumber | null;
  readonly cautious: MeasuredNumber | null;
}

/** Sizes within this factor of the published ones count as the same: another machine differs. */
export const sameSize = 1.25;

/** Two sides that differ by less are equal. */
export const noDifference = 1.02;

/** Judges an assertion by a measured number: its truth, its direction, and its size. */
export function decideOutcome(assertion: Assertion, seen: MeasuredLevels): Outcome {
  const side = findExpectation(assertion);
  const direction = side === null ? 'not published' : partOf(intervalPosition(seen, side));
  return {
    outcome: ruleOutcome(assertion, seen),
    direction,
    size: sizeOf(assertion, seen),
    equal: direction === 'open' && isEqual(assertion, seen.usual),
  };
}

/**
 * Returns the side of a bound that an assertion names; null if it states a size without a
 * direction, such as "equal". For a ratio between 1.5 and 2.7 it is the side of 1.
 */
export function findExpectation({ kind, expected }: Assertion): Expectation | null {
  const { above, below } = expected;
  if (above === undefined && below === undefined) return null;
  if (above === undefined || below === undefined) return expected;
  if (kind === 'level') return null;
  if (above >= 1) return { above: 1 };
  return below <= 1 ? { below: 1 } : null;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Returns the range that a deciding sentence states; null if it states none. */
export function statedSize({ role, expected: { above, below } }: Assertion): Range | null {
  if (role !== 'verdict' || above === undefined || below === undefined) return null;
  return { low: above, high: below };
}

/**
 * Returns the range of a size as published: the range that the sentence states, else the published
 * one, widened. Null if no size was published.
 */
export function computeSizeRange(assertion: Assertion): Range | null {
  const stated = statedSize(assertion);
  if (stated !== null) return stated;
  const { low, high } = assertion.published;
  return low === null || high === null ? null : { low: low / sameSize, high: high * sameSize };
}

/** Returns a size as a part of the verdict. */
export function sizePart(size: SizeOutcome): PartVerdict {
  switch (size) {
    case 'as published':
      return 'confirmed';
    case 'smaller':
    case 'larger':
      return 'refuted';
    case 'open':
    case 'not published':
      return size;
  }
}

/** Combines several parts: one refutes, all together confirm. */
export function combineVerdicts(parts: readonly PartVerdict[]): PartVerdict {
  const stated = parts.filter((part) => part !== 'not published');
  if (stated.length === 0) return 'not published';
  if (stated.includes('refuted')) return 'refuted';
  return stated.every((part) => part === 'confirmed') ? 'confirmed' : 'open';
}

function ruleOutcome({ expected }: Assertion, seen: MeasuredLevels): AssertionOutcome {
  // Without an expectation the number is only shown.
  const free = expected.above === undefined && expected.below === undefined;
  if (free) return seen.usual === null ? 'open' : 'holds';
  const place = intervalPosition(seen, expected);
  return place === 'inside' ? 'holds' : place === 'open' ? 'open' : 'fails';
}

function sizeOf(assertion: Assertion, seen: MeasuredLevels): SizeOutcome {
  const range = computeSizeRange(assertion);
  if (range === null) return 'not published';
  const place = intervalPosition(seen, { above: range.low, below: range.high });
  return place === 'inside' ? 'as published' : place;
}

type Place = 'inside' | 'smaller' | 'larger' | 'open';

/** Returns where the whole interval lies; open while it lies on both sides of a bound. */
function intervalPosition(
  { usual, cautious }: MeasuredLevels,
  { above, below }: Expectation,
): Place {
  if (isBounded(cautious)) {
    if (above !== undefined && cautious.high <= above) return 'smaller';
    if (below !== undefined && cautious.low >= below) return 'larger';
  }
  if (!isBounded(usual)) return 'open';
  const inside = usual.low > (above ?? -Infinity) && usual.high < (below ?? Infinity);
  return inside ? 'inside' : 'open';
}

function partOf(place: Place): PartVerdict {
  return place === 'inside' ? 'confirmed' : place === 'open' ? 'open' : 'refuted';
}

function isEqual(assertion: Assertion, usual: MeasuredNumber | null): boolean {
  const { above, below } = findExpectation(assertion) ?? {};
  if (assertion.kind === 'level' || (above ?? below) !== 1 || !isBounded(usual)) return false;
  return usual.low >= 1 / noDifference && usual.high <= noDifference;
}

function isBounded(
  measured: MeasuredNumber | null,
): measured is MeasuredNumber & { readonly low: number; readonly high: number } {
  return measured !== null && measured.low !== null && measured.high !== null;
}

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
