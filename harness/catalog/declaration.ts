import { z } from 'zod';
import type { Benchmark } from '../model/case.ts';

/** The one declaration of `benchmark.json` and of the suites in `pages/suites/`. */

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,62}$/, 'must be letters, digits and "-"');
const value = z.union([z.string().max(100), z.number(), z.boolean()]);

const hosts = z
  .array(z.enum(['browser', 'runtime']))
  .min(1)
  .max(2);

const parameter = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('choice'),
    name,
    values: z.array(value).min(1).max(100),
    default: value,
    hosts: z.record(z.string().max(100), hosts).optional(),
  }),
  z.strictObject({
    kind: z.literal('integer'),
    name,
    minimum: z.int(),
    maximum: z.int(),
    default: z.int(),
  }),
]);

const metric = z.strictObject({
  id: name,
  title: z.string().min(1).max(100),
  unit: z.string().min(1).max(20),
  direction: z.enum(['lower', 'higher']),
});

const growth = z.strictObject({
  over: name,
  by: name,
  theory: z
    .record(
      z.string().max(100),
      z.strictObject({
        perStep: z.number().positive().max(1e6),
        label: z.string().min(1).max(20),
      }),
    )
    .optional(),
});

export const benchmarkDeclaration: z.ZodType<Benchmark> = z.strictObject({
  $schema: z.string().optional(),
  id: name,
  version: z.int().min(1),
  title: z.string().min(1).max(200),
  description: z.string().min(1).max(2000),
  page: z.string().regex(/^[A-Za-z0-9._-]+$/, 'must be a file of the same folder'),
  hosts: hosts.optional(),
  parameters: z.array(parameter).max(20),
  metrics: z.array(metric).min(1).max(20),
  growth: growth.optional(),
  truth: z.strictObject({ parameter: name, unit: z.enum(['ns', 'µs', 'ms', 's']) }).optional(),
});

/** One value, a list, or a range of integers such as "20..24". */
const choice = z.union([value, z.array(value).min(1).max(200)]);

export const suiteDeclaration = z.strictObject({
  $schema: z.string().optional(),
  title: z.string().min(1).max(200),
  hosts: hosts.optional(),
  isolation: z.enum(['session', 'page']),
  trials: z.int().min(1).max(10_000),
  measurement: z.strictObject({
    iterations: z.int().min(1).max(100_000),
    minIterations: z.int().min(1).max(100_000),
    maxTimedMs: z.number().positive().max(3_600_000),
    minGranules: z.int().min(1).max(1_000_000),
    warmUp: z.strictObject({
      minIterations: z.int().min(0).max(100_000),
      maxIterations: z.int().min(0).max(100_000),
      maxMs: z.number().min(0).max(3_600_000),
    }),
  }),
  cases: z
    .array(z.strictObject({ benchmark: name, parameters: z.record(z.string(), choice).optional() }))
    .min(1)
    .max(1000),
});

export type SuiteDeclaration = z.infer<typeof suiteDeclaration>;
