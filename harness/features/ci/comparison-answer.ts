import { z } from 'zod';

const row = z.object({
  device: z.string(),
  /** Only where several are compared. */
  page: z.string().optional(),
  title: z.string(),
  unit: z.string(),
  value: z.number().nullable(),
  firstValue: z.number().nullable(),
  verdict: z.string(),
  ratio: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  blocks: z.number(),
});

/** The parts of `crossfarm compare --json --markdown` that are read here. */
export const comparisonAnswer = z.object({
  run: z.number(),
  markdown: z.string(),
  missing: z.array(z.object({ device: z.string(), reason: z.string() })),
  comparisons: z.array(row),
});

export type ComparisonAnswer = z.infer<typeof comparisonAnswer>;

/** A measure of the page in a browser, compared. */
export const comparedRow = row;
export type ComparedRow = z.infer<typeof row>;
