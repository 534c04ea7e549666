import { z } from 'zod';
import { parameterValue, type TypeOf } from '../../results/fields.ts';

/**
 * Contents of the first page in addition to the runs. Strict: members that are not declared here
 * are not sent.
 */

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
