import { z } from 'zod';
import { count, id, type TypeOf } from './fields.ts';

const delayed = z.object({
  delayMs: z.number().describe('That a function waited in one operation'),
  change: z.number().describe('Of the measure, in its unit; the median over the blocks'),
  low: z.number(),
  high: z.number(),
});

const functionCost = z.object({
  name: z.string().describe('With its place'),
  calls: z.number().describe('In one operation'),
  selfMs: z
    .number()
    .nullable()
    .describe('Of one operation in the function itself; null without a profile'),
  slope: z.number().describe('Change of the measure for each millisecond'),
  low: z.number().nullable().describe('Null while any slope is possible'),
  high: z.number().nullable(),
  isLine: z.boolean(),
  meaning: z.string().describe('Of the slope, in half a sentence; perhaps empty'),
  points: z.array(delayed),
});

/** The cost of the time of each function of a page. */
export const causalFacts = z.object({
  run: id,
  command: z.string(),
  page: z.string().describe('As its user named it'),
  notDelayed: count.describe('Functions that are called as well'),
  browsers: z.array(
    z.object({
      browser: z.string(),
      measure: z.string(),
      unit: z.string(),
      value: z.number().describe('Typical, without a delay'),
      functions: z.array(functionCost).describe('Those first that can save most'),
    }),
  ),
});

export type CausalFacts = TypeOf<typeof causalFacts>;
