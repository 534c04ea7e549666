import { z } from 'zod';
import { count, id, type TypeOf } from './fields.ts';

const change = z.object({
  changeMs: z.number().describe('Of one operation'),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

const row = change.extend({
  name: z.string().describe('Of a function, with its place; or a kind of work'),
  share: z.number().nullable().describe('Of the whole difference'),
});

const comparison = z.object({
  browser: z.string().nullable().describe('Null where two browsers are compared'),
  page: z.string().nullable(),
  version: z.string(),
  against: z.string(),
  blocks: count,
  total: change.extend({ isDecided: z.boolean() }).describe('The whole operation'),
  rows: z.array(row).describe('Settled ones, those with the largest change first'),
});

/** Which functions made the differences of a comparison. */
export const blameFacts = z.object({
  run: id.describe('The comparison'),
  command: z.string().describe('Of the comparison'),
  profiledRuns: z.array(id),
  alpha: z.number().default(0.05).describe('Share of false discoveries, at most'),
  comparisons: z.array(comparison),
  notProfiled: z.array(z.string()).describe('Why browsers have no profile, in sentences'),
});

export type BlameFacts = TypeOf<typeof blameFacts>;
