import { z } from 'zod';

/** Forms of values from elsewhere, a page, a probe or another farm's file: hostile until they are bounded. */

/**
 * No clock, score or counter gives numbers beyond; smaller ones are the rounding of a subtraction.
 * Sums, squares and ratios of what is within stay finite.
 */
export const extremes = { smallest: 1e-30, largest: 1e18 } as const;

export function isCredible(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === 0 || (size >= extremes.smallest && size <= extremes.largest);
}

export const incredible = `must be a finite number: 0, or ${String(extremes.smallest)} to ${String(extremes.largest)} in size`;

/**
 * A list of credible numbers that complains once, about the first wrong one: an array of numbers
 * would complain about every element, and a hundred thousand complaints are more than a caller can
 * be given.
 */
export function numberList(least: number, most: number): z.ZodType<readonly number[]> {
  const list = z
    .array(z.unknown())
    .meta({ items: { type: 'number' } })
    .min(least)
    .max(most)
    .superRefine((seen, context) => {
      const index = seen.findIndex((one) => !isCredible(one));
      if (index === -1) return;
      context.addIssue({ code: 'custom', path: [index], message: incredible });
    });
  return list as unknown as z.ZodType<readonly number[]>;
}

/** No control characters, line ends or marks that turn the direction of writing. */
const oneLine = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/u;

/** Schema of a text that is printed as it stands: on a terminal, in a table, in a report. */
export function text(longest: number): z.ZodString {
  return z.string().max(longest).regex(oneLine, 'must be one line without control characters');
}
