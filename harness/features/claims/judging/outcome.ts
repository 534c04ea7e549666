import type { MeasuredNumber, PartVerdict } from '../../../results/index.ts';
import type { Assertion, Expectation } from '../../../model/question.ts';

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
