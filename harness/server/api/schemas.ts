import { z } from 'zod';
import { id, time, type TypeOf } from '../../results/fields.ts';

/**
 * Schemas of answers besides the measurements. Strict: members that are not declared here are not
 * sent.
 */

export const joining = z.strictObject({
  screen: z.string().nullable().describe('Null while a device that joined is measured'),
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

export type AnomalyResponse = TypeOf<typeof anomaly>;
export type JoiningResponse = TypeOf<typeof joining>;
