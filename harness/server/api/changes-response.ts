import { z } from 'zod';
import { count, id, measured, time, type TypeOf } from '../../results/fields.ts';
import { next } from './parameters.ts';

/** Changes over the nights of a suite. Strict: members that are not declared here are not sent. */

const change = {
  run: id.describe('The first after it'),
  startedAt: time,
  state: z.enum(['settled', 'suspect']).describe('Settled: six nights lie on either side'),
  before: z.number(),
  after: z.number(),
  ratio: z.number().describe('After / before'),
  p: z.number().describe('Probability of a change as clear as this where nothing changed'),
  cause: z.string().describe('What is known to have changed with it'),
  words: z.strictObject({ ratio: z.string() }).describe('In the digits and words of the report'),
};

const seriesPlace = {
  case: z.string(),
  device: z.string(),
  ...measured,
  metricTitle: z.string(),
};

const series = z.strictObject({
  ...seriesPlace,
  begunBy: z.array(z.string()).describe('What sets it apart from the one before it'),
  nights: count,
  firstRun: id,
  lastRun: id,
  notSearched: z.string().nullable(),
  changes: z.array(z.strictObject(change)),
  course: z
    .array(z.strictObject({ run: id, startedAt: time, median: z.number() }))
    .describe('Each of its nights, the oldest first; empty where nothing changed'),
});

/** One line of a table: a change of a series. */
export const changeLine = z.strictObject({ ...seriesPlace, ...change });

export const changes = z.strictObject({
  suite: z.string(),
  run: id.nullable().describe('The newest that was looked at'),
  nights: count.describe('Runs that were looked at'),
  notSearched: z.string().nullable().describe('Why nothing was searched'),
  series: z.array(series),
  next,
});

export type ChangesResponse = TypeOf<typeof changes>;
/** All of it, of which an answer has some series. */
export type WholeChanges = Omit<ChangesResponse, 'next'>;
export type SeriesResponse = ChangesResponse['series'][number];
export type ChangeResponse = SeriesResponse['changes'][number];
