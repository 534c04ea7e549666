import { z } from 'zod';
import { families } from './families.ts';

/** Fields that several schemas have. */

/** The type that a schema declares, read-only throughout: it is made once and then only read. */
export type TypeOf<Schema extends z.ZodType> = DeepReadonly<z.infer<Schema>>;

type DeepReadonly<Value> = Value extends string
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Exclude<Value[Key], undefined>> }
    : Value;

export const id = z.int().min(0);
export const count = z.int().min(0);
export const time = z.string().describe('ISO 8601, UTC');
export const parameterValue = z.union([z.string(), z.number(), z.boolean()]);
export const family = z.enum(families);
export const runStatus = z.enum(['running', 'finished', 'interrupted']);
/** A metric as every answer names it. */
export const measured = {
  metric: z.string(),
  unit: z.string(),
  direction: z.enum(['lower', 'higher']).describe('Which way is better'),
};
/** How many planned cells ended how; what is left of `planned` has no outcome. */
export const cellCounts = z.strictObject({
  planned: count,
  completed: count,
  failed: count,
  timedOut: count,
  skipped: count,
});
