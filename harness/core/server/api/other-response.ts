import { z } from 'zod';
import { id, parameterValue, time, type TypeOf } from '../../results/fields.ts';

/** Answers in addition to the measurements. Strict: members that are not declared here are not sent. */

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

const text = z.string().describe('May quote a device or a page: escape it');

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

export type OpenableResponse = TypeOf<typeof openable>;
