import { z } from 'zod';
import type { TrialError, TrialResult, WindowMark } from '../../../pages/protocol.d.ts';
import { describeIssue } from '../json-file.ts';
import { mostMetrics } from '../model/case.ts';
import { extremes, incredible, isCredible, numberList } from '../model/bounded-value.ts';
import { isPossible } from '../model/credible.ts';
import { explanations } from '../model/explanation.ts';

/** Messages of a page, with every length bounded: a page is hostile until it has been parsed. */

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9 _-]{0,62}$/, 'must be a short name');

const mostValues = 100_100;

const samples = z
  .strictObject({
    metric: name,
    unit: z.string().min(1).max(20),
    warmUp: numberList(0, mostValues),
    timed: numberList(1, mostValues),
  })
  .refine(isPossible, { message: 'a time is below 0' });

const milliseconds = z.number().min(0).max(1e9);

const steadyState = z.strictObject({
  firstMs: milliseconds,
  steadyAfterMs: milliseconds.nullable(),
  noisy: z.boolean(),
  disturbed: z.array(z.int().min(0).max(mostValues)).max(mostValues).optional(),
  reference: z
    .strictObject({
      windowMs: milliseconds,
      rounds: z.int().min(0).optional(),
      roundNs: milliseconds,
      calmNs: milliseconds.optional(),
    })
    .optional(),
  windowAtMs: milliseconds,
  warmUpEndMs: numberList(0, mostValues),
  segments: z
    .array(
      z.strictObject({
        fromMs: milliseconds,
        toMs: milliseconds,
        level: z.number().min(extremes.smallest).max(extremes.largest),
      }),
    )
    .max(1000),
});

export const trialResult: z.ZodType<TrialResult> = z.strictObject({
  protocol: z.literal(1),
  clock: z.strictObject({ granuleUs: z.number().min(1e-6).max(1e7), isolated: z.boolean() }),
  host: z.strictObject({
    userAgent: z.string().max(1000),
    hardwareConcurrency: z.int().min(1).max(100_000).nullable(),
  }),
  repeats: z
    .int()
    .min(1)
    .max(2 ** 31),
  // The last two come from the pages of older bundles, and from stored trials.
  steadiness: z.enum([
    'flat',
    'warm-up',
    'slowdown',
    'no steady state',
    'first run',
    'steady',
    'slowing',
  ]),
  steadyState: steadyState.optional(),
  callMs: milliseconds.optional(),
  samples: z
    .array(samples)
    .max(mostMetrics)
    .refine((all) => new Set(all.map((one) => one.metric)).size === all.length, {
      message: 'must name each metric once',
    }),
  counters: z
    .record(name, z.number().refine(isCredible, { message: incredible }))
    .refine((all) => Object.keys(all).length <= 100, { message: 'must be 100 at most' }),
  endedAt: z
    .record(name, numberList(1, mostValues))
    .refine((all) => Object.keys(all).length <= mostMetrics, { message: 'must be fewer' })
    .optional(),
  offers: z
    .record(z.string().max(100), z.int().min(1).max(mostValues))
    .refine((all) => Object.keys(all).length <= 2 * mostMetrics, { message: 'must be fewer' })
    .optional(),
  errors: z.array(z.string().max(300)).max(10).optional(),
  explanations,
});

/** The result of a page of ours: of one that is not, probes alone may have something to read. */
export const ownTrialResult: z.ZodType<TrialResult> = trialResult.refine(
  ({ samples: all }) => all.length > 0,
  { path: ['samples'], message: 'must not be empty' },
);

export const trialError: z.ZodType<TrialError> = z.strictObject({
  phase: z.enum(['load', 'prepare', 'warm-up', 'timed', 'check', 'finish']),
  message: z.string().min(1).max(4000),
});

export const windowMark: z.ZodType<WindowMark> = z.strictObject({
  mark: z.enum(['start', 'end']),
});

/** A message that could be believed, or the sentence that says why not. */
export type ParsedMessage<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** Parses the body of a POST. `what` names the message in the sentence: "result", "error", "mark". */
export function parseMessage<T>(
  what: string,
  text: string,
  schema: z.ZodType<T>,
): ParsedMessage<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, why: `The page's ${what} is not JSON: ${(error as Error).message}.` };
  }
  const complaints = checkForm(value, schema);
  if (!Array.isArray(complaints)) return { ok: true, value: complaints.value };
  return {
    ok: false,
    why: `The page's ${what} is not of the protocol's form: ${complaints.join('; ')}.`,
  };
}

/** Returns the message, or the first complaints. */
function checkForm<T>(value: unknown, schema: z.ZodType<T>): { readonly value: T } | string[] {
  try {
    const checked = schema.safeParse(value);
    if (checked.success) return { value: checked.data };
    return checked.error.issues.slice(0, 3).map(describeIssue);
  } catch (error) {
    // It has too many errors to list: the schema itself gives up with a RangeError.
    return [(error as Error).message.slice(0, 300)];
  }
}
