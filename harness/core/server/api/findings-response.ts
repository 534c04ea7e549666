import { z } from 'zod';
import { growthChart, growthFit } from '../../results/curves.ts';
import { count, id, runStatus, type TypeOf } from '../../results/fields.ts';
import { caseRow, measuredCell, missingCell, targetFacts, trouble } from '../../results/rows.ts';
import { pairVerdict } from '../../results/verdicts.ts';

/**
 * The findings of a run: as they are declared for the report, with its words next to the numbers.
 * Strict: members that are not declared here are not sent.
 */

const words = 'In the digits and words of the report';

const wordedCell = measuredCell.extend({
  words: z
    .strictObject({
      centre: z.string(),
      interval: z.string(),
      onlySure: z.string().nullable().describe('Where the interval covers less than 95 %'),
    })
    .describe(words),
});

const row = caseRow.extend({ cells: z.array(z.union([wordedCell, missingCell])) });

const pair = pairVerdict.extend({
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

const growth = growthChart.extend({
  fits: z.array(
    growthFit.extend({
      words: z.strictObject({ perStep: z.string(), interval: z.string() }).describe(words),
    }),
  ),
});

export const wholeFindings = z.strictObject({
  run: id,
  status: runStatus,
  baseline: z.string().nullable().describe('Device that the others are set against'),
  margin: z.number().describe('Share within which a difference does not matter'),
  alpha: z.number().describe('Probability of a wrong verdict, over all looks'),
  smallestBlocks: count.describe('No verdict is possible with fewer'),
  targets: z.array(targetFacts),
  rows: z.array(row).describe('Case × metric; a page has so many'),
  pairs: z.array(pair).describe('Of the rows of this page'),
  growth: z.array(growth),
  troubles: z.array(trouble),
  cautions: z.array(z.string()).describe('What to know before believing a number'),
});

/** All of it, of which an answer has some rows. */
export type WholeFindings = TypeOf<typeof wholeFindings>;
export type FoundRow = WholeFindings['rows'][number];
export type FoundPair = WholeFindings['pairs'][number];
