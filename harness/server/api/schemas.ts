import { z } from 'zod';
import { id, time, type TypeOf } from '../../results/fields.ts';

/** Schemas of answers beside the measurements. Strict: members that are not declared here are not sent. */

export const joining = z.strictObject({
  screen: z.string().nullable().describe('Null while a device that joined is measured'),
});

const part = z
  .enum(['confirmed', 'refuted', 'open', 'not published'])
  .nullable()
  .describe('Null while nothing was measured');

export const claim = z.strictObject({
  id: z.string(),
  sentence: z.string(),
  published: z.string(),
  verdict: z.enum(['confirmed', 'refuted', 'inconclusive', 'not-testable']),
  directionVerdict: part,
  sizeVerdict: part,
  headline: z.string().describe('What was shown of direction and size, in one line'),
  direction: z.string(),
  measured: z
    .strictObject({
      value: z.number(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      unit: z.string(),
    })
    .nullable(),
  reason: z.string(),
  run: id.nullable(),
  command: z.string(),
});

export const anomaly = z.strictObject({
  id: z.string(),
  state: z.string(),
  sentence: z.string(),
  reason: z.string().nullable(),
  run: id.nullable(),
  createdAt: time,
  changedAt: time,
  devices: z.array(z.string()),
  command: z.string(),
});

export type ClaimResponse = TypeOf<typeof claim>;
export type AnomalyResponse = TypeOf<typeof anomaly>;
export type JoiningResponse = TypeOf<typeof joining>;
