import { z } from 'zod';
import { builtInProbes, type DeclaredProbe, type DeclaredReading } from '../model/reading.ts';

/**
 * The form of a reading whose probe declares its values: in the store, in a bundle, in an exported
 * run and in the API alike. It is bounded, because bundles and documents are hostile until parsed.
 */

const oneLine = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$/;
const line = (longest: number): z.ZodString => z.string().max(longest).regex(oneLine);

const name = new RegExp(`^(?!(${builtInProbes.join('|')})$)[a-z][a-z0-9-]{0,39}$`);

/** The name of a probe that is not built in. */
export const declaredProbe = z
  .string()
  .regex(name, 'must be a probe’s name') as z.ZodType<string> as z.ZodType<DeclaredProbe>;

const value = z.strictObject({
  title: line(100),
  unit: line(20).nullable(),
  value: z.union([z.number(), line(1_000), z.array(z.number()).max(10_000), z.null()]),
});

/** Names that JSON paths of SQL need not quote: `document ->> '$.rpm.value'`. */
const valueName = z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/);

export const declaredReading: z.ZodType<DeclaredReading> = z.strictObject({
  probe: declaredProbe,
  values: z
    .record(valueName, value)
    .refine((all) => Object.keys(all).length <= 100, { message: 'must be 100 at most' }),
  costMs: z.number().min(0).max(1e12),
});
