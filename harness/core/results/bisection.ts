import { z } from 'zod';
import { count, id, type TypeOf } from './fields.ts';
import type { Verdict } from './verdicts.ts';

const commit = z.object({
  name: z.string().describe('Its short hash'),
  subject: z.string(),
  author: z.string(),
  place: count.nullable().describe('Among the commits of the range; null inside of a merge'),
});

const verdict: z.ZodType<Verdict | 'not given'> = z.enum([
  ...(['faster', 'slower', 'equivalent', 'undecided', 'not given'] as const),
]);

const row = z.object({
  browser: z.string(),
  title: z.string(),
  unit: z.string(),
  verdict,
  ratio: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

const standing = z.enum(['good', 'bad', 'unknown', 'unusable']);

const step = z.object({
  purpose: z.enum(['ends', 'search', 'check']),
  commits: z.array(commit.pick({ name: true, place: true }).extend({ standing })),
  between: z.array(count).nullable().describe('Places of the two that the step lies between'),
  rows: z.array(row).describe('Of the last commit, beside the first'),
  blocks: count,
  ms: z.number(),
  run: id.nullable(),
  command: z.string().nullable(),
});

const change = z.object({
  commit,
  before: commit.describe('The last commit that is like the good one'),
  skipped: z.array(z.object({ name: z.string(), why: z.string() })),
  mergedBy: commit.nullable(),
  isVerified: z.boolean(),
  rows: z.array(row),
});

/** How the commit was looked for that made a difference, and what was found. */
export const bisectionFacts = z.object({
  outcome: z.enum(['found', 'no-difference', 'undecided']),
  good: commit,
  bad: commit,
  commits: count.describe('From the good one to the bad one, both included'),
  margin: z.number(),
  changes: z.array(change),
  steps: z.array(step),
  command: z.string().describe('Repeats the whole bisection'),
});

export type BisectionFacts = TypeOf<typeof bisectionFacts>;
export type BisectedStep = BisectionFacts['steps'][number];
export type BisectedChange = BisectionFacts['changes'][number];
export type BisectedRow = BisectedChange['rows'][number];
