import { z } from 'zod';
import { count, id, measured, type TypeOf } from '../../results/fields.ts';
import { trendChange, trendNight } from '../../results/nights.ts';
import { next } from './parameters.ts';

/** Changes over the nights of a suite. Strict: members that are not declared here are not sent. */

const change = trendChange.extend({
  before: z.number(),
  after: z.number(),
  p: z.number().describe('Probability of a change as clear as this where nothing changed'),
  words: z.strictObject({ ratio: z.string() }).describe('In the digits and words of the report'),
});

const series = z.strictObject({
  caseName: z.string(),
  targetId: z.string(),
  ...measured,
  metricTitle: z.string(),
  begunBy: z.array(z.string()).describe('What sets it apart from the one before it'),
  nights: count,
  firstRun: id,
  lastRun: id,
  notSearched: z.string().nullable(),
  changes: z.array(change),
  course: z
    .array(trendNight)
    .describe('Each of its nights, the oldest first; empty where nothing changed'),
});

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
