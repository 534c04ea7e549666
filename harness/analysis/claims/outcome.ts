import type { Measured, PartVerdict } from '../../../reports/findings.ts';
import type { Assertion, Expectation } from '../../model/question.ts';

/** The truth of what an assertion says, as far as it is known. */
type AssertionOutcome = 'holds' | 'fails' | 'open';
type SizeOutcome = 'as published' | 'smaller' | 'larger' | 'open' | 'not published';

/** The outcome of one assertion by one number. */
export interface Outcome {
  readonly outcome: AssertionOutcome;
  readonly direction: PartVerdict;
  readonly size: SizeOutcome;
  /** Shown to be equal within 2 %, where one side should be larger: no direction can be shown. */
  readonly equal: boolean;
}

/** A number as it is judged: what confirms holds at α, what refutes at α over the number of assertions. */
interface Seen {
  readonly usual: Measured | null;
  readonly cautious: Measured | null;
}

/** Sizes within this factor of the published ones are the same: another machine is another machine. */
export const sameSize = 1.25;

/** Two sides that differ by less than this are equal, whoever is the faster one. */
export const noDifference = 1.02;

/** Judges an assertion by a measured number: whether it is so, its direction, and its size. */
export function outcomeOf(assertion: Assertion, seen: Seen): Outcome {
  const side = sideOf(assertion);
  const direction = side === null ? 'not published' : partOf(intervalPosition(seen, side));
  return {
    outcome: ruleOutcome(assertion, seen),
    direction,
    size: sizeOf(assertion, seen),
    equal: direction === 'open' && isEqual(assertion, seen.usual),
  };
}

/**
 * The side of a bound that an assertion names; null where it says how large and not which way, such as
 * "equal". Of a ratio between 1.5 and 2.7 it is the side of 1.
 */
export function sideOf({ kind, expected }: Assertion): Expectation | null {
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

/** The range that the sentence of what decides states, if it says how large; else null. */
export function statedSize({ role, expected: { above, below } }: Assertion): Range | null {
  if (role !== 'verdict' || above === undefined || below === undefined) return null;
  return { low: above, high: below };
}

/**
 * Where a size as published lies: in the range that the sentence states, else in the published one,
 * widened. Null where no size was published.
 */
export function sizeRangeOf(assertion: Assertion): Range | null {
  const stated = statedSize(assertion);
  if (stated !== null) return stated;
  const { low, high } = assertion.published;
  return low === null || high === null ? null : { low: low / sameSize, high: high * sameSize };
}

/** A size as the part of a verdict that it is. */
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

/** Of several parts: refuted by one, confirmed by all together. */
export function allOf(parts: readonly PartVerdict[]): PartVerdict {
  const stated = parts.filter((part) => part !== 'not published');
  if (stated.length === 0) return 'not published';
  if (stated.includes('refuted')) return 'refuted';
  return stated.every((part) => part === 'confirmed') ? 'confirmed' : 'open';
}

function ruleOutcome({ expected }: Assertion, seen: Seen): AssertionOutcome {
  // Where nothing is expected, the number is only shown beside the others.
  const free = expected.above === undefined && expected.below === undefined;
  if (free) return seen.usual === null ? 'open' : 'holds';
  const place = intervalPosition(seen, expected);
  return place === 'inside' ? 'holds' : place === 'open' ? 'open' : 'fails';
}

function sizeOf(assertion: Assertion, seen: Seen): SizeOutcome {
  const range = sizeRangeOf(assertion);
  if (range === null) return 'not published';
  const place = intervalPosition(seen, { above: range.low, below: range.high });
  return place === 'inside' ? 'as published' : place;
}

type Place = 'inside' | 'smaller' | 'larger' | 'open';

/** Where the whole interval lies; open while it lies on both sides of a bound. */
function intervalPosition({ usual, cautious }: Seen, { above, below }: Expectation): Place {
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

function isEqual(assertion: Assertion, usual: Measured | null): boolean {
  const { above, below } = sideOf(assertion) ?? {};
  if (assertion.kind === 'level' || (above ?? below) !== 1 || !isBounded(usual)) return false;
  return usual.low >= 1 / noDifference && usual.high <= noDifference;
}

function isBounded(
  measured: Measured | null,
): measured is Measured & { readonly low: number; readonly high: number } {
  return measured !== null && measured.low !== null && measured.high !== null;
}
