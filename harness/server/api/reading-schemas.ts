import { z } from 'zod';
import {
  coreReading,
  declaredReading,
  environmentReading,
  notSupported,
  scheduleReading,
  threadReading,
  traceReading,
} from '../../model/reading.ts';
import { count, id } from '../../results/fields.ts';

/** Schemas of what one trial left behind: every sample, and what the probes saw. */

export const samples = z.strictObject({
  trial: id,
  samples: z.array(
    z.strictObject({
      metric: z.string(),
      unit: z.string(),
      warmUp: z.array(z.number()).describe('Of one operation each, in order; they do not count'),
      timed: z.array(z.number()).describe('The iterations of the timed window, in order'),
    }),
  ),
});

/** One line of a table: a sample. */
export const sampleLine = z.strictObject({
  trial: id,
  metric: z.string(),
  unit: z.string(),
  phase: z.enum(['warm-up', 'timed']),
  iteration: count,
  value: z.number(),
});

export const readings = z.strictObject({
  trial: id,
  readings: z.array(
    z.union([
      coreReading,
      threadReading,
      environmentReading,
      scheduleReading,
      traceReading,
      declaredReading,
      notSupported,
    ]),
  ),
});
