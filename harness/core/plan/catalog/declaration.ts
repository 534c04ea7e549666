import { z } from 'zod';
import { text } from '../../model/bounded-value.ts';
import { type Benchmark, type MeasurementRules, mostMetrics } from '../../model/case.ts';
import { hosts as knownHosts } from '../../model/device.ts';
import { fastMeasurement } from './measurement.ts';

/** The one declaration of `benchmark.json` and of the suites in `pages/suites/`. */

/** A record of which the number of entries is bounded, too. */
export const few = <Value extends z.ZodType>(key: z.ZodString, each: Value, most: number) =>
  z.record(key, each).refine((all) => Object.keys(all).length <= most, {
    message: `must be ${String(most)} at most`,
  });

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,62}$/, 'must be letters, digits and "-"');
const value = z.union([text(100), z.number(), z.boolean()]);

const hosts = z.array(z.enum(knownHosts)).min(1).max(knownHosts.length);

const parameter = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('choice'),
    name,
    values: z.array(value).min(1).max(100),
    default: value,
    hosts: few(text(100), hosts, 100).optional(),
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
  title: text(100).min(1),
  unit: text(20).min(1),
  direction: z.enum(['lower', 'higher']),
  optional: z.boolean().optional(),
});

const growth = z.strictObject({
  over: name,
  by: name,
  theory: few(
    text(100),
    z.strictObject({
      perStep: z.number().positive().max(1e6),
      label: text(20).min(1),
    }),
    100,
  ).optional(),
});

export const benchmarkDeclaration: z.ZodType<Benchmark> = z.strictObject({
  $schema: text(1000).optional(),
  id: name,
  version: z.int().min(1),
  title: text(200).min(1),
  description: text(2000).min(1),
  page: z.string().regex(/^[A-Za-z0-9._-]+$/, 'must be a file of the same folder'),
  hosts: hosts.optional(),
  parameters: z.array(parameter).max(20),
  metrics: z.array(metric).min(1).max(mostMetrics),
  growth: growth.optional(),
  crossover: z.strictObject({ over: name, by: name, base: value }).optional(),
  truth: z.strictObject({ parameter: name, unit: z.enum(['ns', 'µs', 'ms', 's']) }).optional(),
});

const times = z.int().min(1).max(100_000).optional();

const reader = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('bench'), times }),
  z.strictObject({ by: z.literal('measure'), name: z.string().min(1).max(200), times }),
  z.strictObject({
    by: z.literal('global'),
    name: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/, 'must be a name such as "results.score"'),
  }),
  z.strictObject({ by: z.literal('expression'), expression: z.string().min(1).max(4000) }),
]);

/** A result by the page's clock has the clock's unit, and a page at a URL gets no adapter. */
function externalPageMistake({
  folder,
  url,
  page,
  result,
  metric: { unit },
}: ExternalPageShape): Mistake | null {
  if ((folder === undefined) === (url === undefined)) {
    return { path: ['folder'], message: 'a page is in a folder, or at a URL: give one of both' };
  }
  if (url !== undefined && page !== undefined) {
    return { path: ['page'], message: 'is for a folder; a URL names its page itself' };
  }
  if (url !== undefined && result.by === 'bench') {
    return {
      path: ['result', 'by'],
      message: 'nothing can be put into a page at a URL: use a copy in a folder',
    };
  }
  const timed = result.by === 'bench' || result.by === 'measure';
  return timed && unit !== 'ms'
    ? { path: ['metric', 'unit'], message: 'must be ms, in which it is timed' }
    : null;
}

interface Mistake {
  readonly path: string[];
  readonly message: string;
}

const externalPageShape = z.strictObject({
  id: name,
  version: z.int().min(1),
  title: text(200).min(1),
  description: text(2000).min(1).optional(),
  folder: text(1000).min(1).optional(),
  page: z
    .string()
    .regex(
      /^(?![/\\])(?!.*\.\.)[^\s\\#]{1,500}$/,
      'must be a file of the folder, such as "index.html?auto=1"',
    )
    .optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  begin: z.string().min(1).max(4000).optional(),
  result: reader,
  metric: metric.omit({ optional: true }),
});

type ExternalPageShape = z.infer<typeof externalPageShape>;

/** A page that is not ours. */
const externalPageDeclaration = externalPageShape.superRefine((guest, context) => {
  const mistake = externalPageMistake(guest);
  if (mistake !== null) context.addIssue({ code: 'custom', ...mistake });
});

export type ExternalPageDeclaration = z.infer<typeof externalPageDeclaration>;

/** One value, a list, or a range of integers such as "20..24". */
const choice = z.union([value, z.array(value).min(1).max(200)]);

const upToAnHour = z.number().positive().max(3_600_000);
const minGranules = z.int().min(1).max(1_000_000);

const currentRules = z
  .strictObject({
    minGranules,
    settled: z.strictObject({ ms: upToAnHour, calls: z.int().min(1).max(1_000_000) }),
    window: z.strictObject({ ms: upToAnHour, iterations: z.int().min(1).max(100_000) }),
    maxMs: upToAnHour,
    fast: z.literal(true).optional(),
  })
  .refine(({ settled, window, maxMs }) => maxMs >= settled.ms + window.ms, {
    path: ['maxMs'],
    message: 'must leave time for settled.ms and window.ms together',
  });

const formerRules = z.strictObject({
  iterations: z.int().min(1).max(100_000),
  minIterations: z.int().min(1).max(100_000),
  maxTimedMs: upToAnHour,
  minGranules,
  warmUp: z.strictObject({
    minIterations: z.int().min(0).max(100_000),
    maxIterations: z.int().min(0).max(100_000),
    maxMs: z.number().min(0).max(3_600_000),
  }),
});

/** The form of today, or that of suites and bundles which were written before it. */
const measurementRules: z.ZodType<MeasurementRules> = z
  .looseObject({})
  .superRefine((seen, context) => {
    // Complaints of the form that was meant: a union would list those of both.
    const form = 'warmUp' in seen ? formerRules : currentRules;
    for (const { path, message } of form.safeParse(seen).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path, message });
    }
  }) as unknown as z.ZodType<MeasurementRules>;

export const suiteDeclaration = z.strictObject({
  $schema: text(1000).optional(),
  title: text(200).min(1),
  hosts: hosts.optional(),
  isolation: z.enum(['session', 'page']),
  trials: z.int().min(1).max(10_000),
  deadlineMs: upToAnHour.optional(),
  measurement: z.preprocess(
    (given) => (given === 'fast' ? fastMeasurement : given),
    measurementRules,
  ),
  guests: z.array(externalPageDeclaration).max(100).optional(),
  cases: z
    .array(
      z.strictObject({
        benchmark: name,
        parameters: few(text(100), choice, 20).optional(),
        hosts: hosts.optional(),
      }),
    )
    .min(1)
    .max(1000),
});
