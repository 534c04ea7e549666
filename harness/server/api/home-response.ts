import { z } from 'zod';
import { count, id, parameterValue, time, type TypeOf } from '../../results/fields.ts';
import { next } from './parameters.ts';

/** What the first page shows beside the runs. Strict: members that are not declared here are not sent. */

const text = z.string().describe('May quote a device or a page: escape it');

const nightStatus = z.enum(['running', 'fine', 'attention', 'red', 'broken-off']);

const night = {
  night: z.string().describe('Its id, and the name of its folder'),
  status: nightStatus.describe('How it ended: fine, attention, red; its farm died: broken-off'),
  startedAt: time,
  finishedAt: time.nullable(),
  suite: z.string(),
  run: id.nullable().describe('Null where none began; it may have been pruned since'),
};

export const listedNight = z.strictObject(night);

export const nights = z.strictObject({ nights: z.array(listedNight), next });

export const wholeNight = z.strictObject({
  ...night,
  hasReport: z.boolean().describe('It wrote one, which lies at /nights/{id}/report'),
  reasons: z.array(z.strictObject({ level: z.enum(['attention', 'red']), text })),
  changes: z.array(text).describe('Against the nights before'),
  devices: z.array(
    z.strictObject({
      device: z.string(),
      state: z.enum(['found', 'missing', 'quarantined']),
      browser: z.string().nullable(),
      version: z.string().nullable(),
      because: text.nullable(),
      tried: count,
      counting: count,
    }),
  ),
  anomalies: z.array(z.strictObject({ id: z.string(), title: text })),
  steps: z.array(
    z.strictObject({
      step: z.string(),
      outcome: z.enum(['done', 'failed', 'left-out']),
      ms: z.number(),
      because: text.nullable(),
    }),
  ),
});

/** Benchmarks whose page a person can open. */
export const openable = z.strictObject({
  benchmarks: z.array(
    z.strictObject({
      benchmark: z.string(),
      title: text,
      description: text,
      parameters: z.record(z.string(), parameterValue).describe('As the page is opened'),
      url: z.string().describe('Of the page, with these parameters; another one may be given'),
      tryUrl: z
        .string()
        .nullable()
        .describe('Of a page on which a visitor draws curves of it; null without one'),
    }),
  ),
});

export type ListedNightResponse = TypeOf<typeof listedNight>;
export type WholeNightResponse = TypeOf<typeof wholeNight>;
export type OpenableResponse = TypeOf<typeof openable>;
