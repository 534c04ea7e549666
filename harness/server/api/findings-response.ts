import { z } from 'zod';
import {
  count,
  id,
  measured as metric,
  parameterValue,
  runStatus,
  type TypeOf,
} from '../../results/fields.ts';
import { pairVerdict } from '../../results/verdicts.ts';
import { next } from './parameters.ts';

/** The findings of a run. Strict: members that are not declared here are not sent. */

const hostile = z.string().describe('May quote a page: escape it');
const words = 'In the digits and words of the report';

const target = z.strictObject({
  device: z.string(),
  deviceName: z.string(),
  status: z.enum(['found', 'missing']),
  reason: z.string().nullable(),
  remedy: z.string().nullable(),
});

const measured = z.strictObject({
  centre: z
    .number()
    .describe('Typical value; of a compared cell what the ratio makes of the baseline’s'),
  low: z.number(),
  high: z.number(),
  confidence: z.number().describe('What the interval covers, 0–1'),
  trials: count,
  quarantined: count,
  resolution: z.number().describe('Largest step that clock and repeats leave, in the unit'),
  values: z.array(z.number()).describe('Each trial’s value, in block order'),
  words: z
    .strictObject({
      centre: z.string(),
      interval: z.string(),
      onlySure: z.string().nullable().describe('Where the interval covers less than 95 %'),
    })
    .describe(words),
});

const cell = z.strictObject({
  device: z.string(),
  measured: measured.nullable(),
  why: hostile.nullable().describe('Why there are no numbers'),
});

const row = z.strictObject({
  case: z.string(),
  benchmark: z.string(),
  parameters: z.record(z.string(), parameterValue),
  ...metric,
  command: z.string().describe('Repeats the case'),
  cells: z.array(cell),
});

/** A pair as the analysis gives it, with the names that its sides had before it was. */
export const pair = z.strictObject({
  case: z.string().describe('Of `a`; deprecated'),
  device: z.string().describe('Of `a`; deprecated'),
  baselineCase: z.string().describe('Of `b`; deprecated'),
  baselineDevice: z.string().describe('Of `b`; deprecated'),
  ...pairVerdict.shape,
  verdict: pairVerdict.shape.verdict.describe('What the whole table of the run supports'),
  mean: z
    .strictObject({ ratio: z.number(), low: z.number(), high: z.number().nullable() })
    .nullable()
    .describe('The ratio of the means, and what holds of it at every look; high null: no bound'),
  words: z
    .strictObject({
      verdict: z.string(),
      ratio: z.string(),
      interval: z.string().nullable(),
      note: z.string(),
    })
    .describe(words),
});

/** A line of the table, which has one column for each side's name. */
export const pairLine = pair.omit({ a: true, b: true, unpaired: true, discovery: true });

const fit = z.strictObject({
  device: z.string(),
  by: z.string(),
  perStep: z.number().describe('Factor by which it grows when the parameter grows by 1'),
  low: z.number(),
  high: z.number(),
  confidence: z.number(),
  points: count,
  words: z.strictObject({ perStep: z.string(), interval: z.string() }).describe(words),
});

const growth = z.strictObject({
  benchmark: z.string(),
  title: z.string(),
  metricTitle: z.string(),
  over: z.string(),
  by: z.string(),
  fixed: z.string(),
  fits: z.array(fit),
  theory: z.array(z.strictObject({ by: z.string(), perStep: z.number(), label: z.string() })),
});

const trouble = z.strictObject({
  kind: z.enum(['failed', 'timed-out', 'skipped']),
  device: z.string(),
  case: z.string(),
  trials: count,
  code: z.string(),
  message: hostile,
  remedy: z.string(),
});

export const findings = z.strictObject({
  run: id,
  status: runStatus,
  baseline: z.string().nullable().describe('Device that the others are set against'),
  margin: z.number().describe('Share within which a difference does not matter'),
  alpha: z.number().describe('Probability of a wrong verdict, over all looks'),
  smallestBlocks: count.describe('No verdict is possible with fewer'),
  targets: z.array(target),
  rows: z.array(row).describe('Case × metric; a page has so many'),
  pairs: z.array(pair).describe('Of the rows of this page'),
  growth: z.array(growth),
  troubles: z.array(trouble),
  moreTroubles: count.describe('That are not listed'),
  cautions: z.array(z.string()).describe('What to know before believing a number'),
  next,
});

export type FindingsResponse = TypeOf<typeof findings>;
/** All of it, of which an answer has some rows. */
export type WholeFindings = Omit<FindingsResponse, 'moreTroubles' | 'next'>;
export type TargetResponse = FindingsResponse['targets'][number];
export type RowResponse = FindingsResponse['rows'][number];
export type CellResponse = RowResponse['cells'][number];
export type PairResponse = FindingsResponse['pairs'][number];
export type GrowthResponse = FindingsResponse['growth'][number];
