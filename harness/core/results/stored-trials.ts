import { z } from 'zod';
import { count, id, time, type TypeOf } from './fields.ts';
import { outcome, place, subject } from './stored.ts';

/** Stored trials: as a list shows them, and all stored facts of one trial except its readings. */

export const value = z
  .number()
  .nullable()
  .describe(
    'Mean over the window of a duration whose steady state was searched for, else the median of the timed iterations; null when there are none',
  );

const values = z.strictObject({
  metric: z.string(),
  unit: z.string(),
  value,
  iterations: count,
});

export const trial = z.strictObject({
  trial: id,
  ...place,
  ...subject,
  ordinal: count,
  block: count,
  outcome,
  startedAt: time,
  wallMs: z.number(),
  failureCode: z.string().nullable(),
  message: z.string().nullable().describe('May quote a page: escape it'),
  quarantine: z.array(z.string()).describe('What disturbed it; empty when nothing did'),
  steadiness: z
    .string()
    .nullable()
    .describe(
      'flat, warm-up, slowdown, no steady state, first run; of older trials steady, slowing',
    ),
  userAgent: z.string().nullable().describe('As the browser sent it: escape it'),
  values: z.array(values),
});

export type ListedTrial = TypeOf<typeof trial>;

const ms = z.number().describe('Milliseconds since the first call began');

/** A trial on its own: how it came to its speed, too. */
export const wholeTrial = trial.extend({
  steadyState: z
    .strictObject({
      firstMs: z.number().describe('Of the first call'),
      steadyAfterMs: ms.nullable().describe('Null: it had no steady state'),
      noisy: z.boolean(),
      disturbed: z
        .array(count)
        .optional()
        .describe('Timed iterations that do not count: the machine ran slower than it can'),
      reference: z
        .strictObject({
          windowMs: z.number(),
          rounds: z.number().optional(),
          roundNs: z.number(),
          calmNs: z.number().optional(),
        })
        .optional()
        .describe(
          'The reference work: its time and rounds in the window; one round at full speed, and beside the iterations that count',
        ),
      preemptedMs: z
        .number()
        .optional()
        .describe('How long others kept its thread off its core in the window; not in the value'),
      windowAtMs: ms,
      warmUpEndMs: z.array(ms),
      segments: z.array(z.strictObject({ fromMs: ms, toMs: ms, level: z.number() })),
    })
    .nullable()
    .describe('Null: it was not searched for'),
});

export type WholeTrial = TypeOf<typeof wholeTrial>;

export const samples = z.strictObject({
  metric: z.string(),
  unit: z.string(),
  warmUp: z.array(z.number()).describe('Of one operation each, in order; they do not count'),
  timed: z.array(z.number()).describe('The iterations of the timed window, in order'),
});

/** Every sample of one trial and metric. */
export type WholeSamples = TypeOf<typeof samples>;
