import { z } from 'zod';
import { families } from '../../model/family.ts';
import {
  count,
  id,
  measured,
  parameterValue,
  runStatus,
  time,
  type TypeOf,
} from '../../results/fields.ts';

/** Schemas of the API's answers. Strict: members that are not declared here are not sent. */

const outcome = z.enum(['completed', 'failed', 'timed-out', 'skipped']);

const place = {
  run: id,
  runStartedAt: time,
  device: z.string().describe('Id in devices.json'),
  deviceName: z.string(),
  browser: z.string().describe('Product: chromium, firefox, …'),
  family: z.enum(families).nullable(),
  version: z.string().nullable(),
  driver: z.string(),
  os: z.string().describe('linux, macos, windows, android or ios'),
  system: z.string().nullable(),
  cores: count.nullable().describe('Logical cores; null where nobody could ask'),
  emulated: z.boolean().describe('A browser that pretends to be another device'),
};

const subject = {
  benchmark: z.string(),
  benchmarkVersion: id,
  case: z.string(),
  parameters: z.record(z.string(), parameterValue),
};

const metric = { ...measured, metricTitle: z.string() };

const counts = z.strictObject({
  planned: count,
  completed: count,
  failed: count,
  timedOut: count,
  skipped: count,
});

const machine = z.strictObject({
  hostname: z.string(),
  platform: z.string(),
  release: z.string(),
  system: z.string(),
  architecture: z.string(),
  cpuModel: z.string(),
  logicalCores: count,
  memoryBytes: count,
  virtualization: z.string().nullable(),
  nodeVersion: z.string(),
  asRoot: z.boolean(),
});

export const run = z.strictObject({
  id,
  name: z.string().describe('What it measured, in a line; may quote a device or a page: escape it'),
  suite: z.string(),
  seed: count,
  isolation: z.enum(['session', 'page']),
  preset: z.literal('fast').optional().describe('How it was measured, if not by its suite’s rules'),
  command: z.string().describe('Repeats it'),
  farmVersion: z.string(),
  machine,
  status: runStatus,
  startedAt: time,
  finishedAt: time.nullable(),
  counts,
});

export const cell = z.strictObject({
  ordinal: count.describe('Place in the plan'),
  block: count,
  case: z.string(),
  device: z.string(),
  repeats: count.nullable().describe('Ordinal of the quarantined cell that it does once more'),
  outcome: outcome.nullable().describe('Null: it has none yet'),
  trial: id.nullable(),
});

const value = z
  .number()
  .nullable()
  .describe(
    'Mean over the window of a duration whose steady state was searched for, else the median of the timed iterations; null when there are none',
  );

const values = z.strictObject({
  metric: z.string(),
  unit: z.string(),
  value,
  iterations: count,
});

export const trial = z.strictObject({
  trial: id,
  ...place,
  ...subject,
  ordinal: count,
  block: count,
  outcome,
  startedAt: time,
  wallMs: z.number(),
  failureCode: z.string().nullable(),
  message: z.string().nullable().describe('May quote a page: escape it'),
  quarantine: z.array(z.string()).describe('What disturbed it; empty when nothing did'),
  steadiness: z
    .string()
    .nullable()
    .describe(
      'flat, warm-up, slowdown, no steady state, first run; of older trials steady, slowing',
    ),
  userAgent: z.string().nullable().describe('As the browser sent it: escape it'),
  values: z.array(values),
});

const ms = z.number().describe('Milliseconds since the first call began');

/** A trial on its own: how it came to its speed, too. */
export const wholeTrial = trial.extend({
  steadyState: z
    .strictObject({
      firstMs: z.number().describe('Of the first call'),
      steadyAfterMs: ms.nullable().describe('Null: it had no steady state'),
      noisy: z.boolean(),
      disturbed: z
        .array(count)
        .optional()
        .describe('Timed iterations that do not count: the machine ran slower than it can'),
      reference: z
        .strictObject({
          windowMs: z.number(),
          rounds: z.number().optional(),
          roundNs: z.number(),
          calmNs: z.number().optional(),
        })
        .optional()
        .describe(
          'The reference work: its time and rounds in the window; one round at full speed, and beside the iterations that count',
        ),
      preemptedMs: z
        .number()
        .optional()
        .describe('How long others kept its thread off its core in the window; not in the value'),
      windowAtMs: ms,
      warmUpEndMs: z.array(ms),
      segments: z.array(z.strictObject({ fromMs: ms, toMs: ms, level: z.number() })),
    })
    .nullable()
    .describe('Null: it was not searched for'),
});

/** One line of a table: a trial × metric. */
export const trialLine = trial.omit({ values: true }).extend({
  metric: z.string().nullable(),
  unit: z.string().nullable(),
  value,
  iterations: count,
});

const statistics = z.strictObject({
  mean: z.number(),
  median: z.number(),
  minimum: z.number(),
  maximum: z.number(),
  low: z.number().describe('Of the interval of the median'),
  high: z.number(),
  confidence: z.number().describe('What the interval covers, 0–1'),
});

export const summary = z.strictObject({
  ...place,
  ...subject,
  ...metric,
  planned: count,
  trials: count.describe('Values behind the statistics'),
  quarantined: count,
  notCompleted: count,
  fromQuarantined: z.boolean().describe('No trial counts; the statistics are of quarantined ones'),
  statistics: statistics.nullable().describe('Null when no trial gave a value'),
});

export const device = z.strictObject({
  ...place,
  status: z.enum(['found', 'missing']),
  reason: z.string().nullable(),
  remedy: z.string().nullable(),
  headless: z.boolean(),
  flags: z.array(z.string()),
});

export const joining = z.strictObject({
  screen: z.string().nullable().describe('Null while a device that joined is measured'),
});

const part = z
  .enum(['confirmed', 'refuted', 'open', 'not published'])
  .nullable()
  .describe('Null while nothing was measured');

export const claim = z.strictObject({
  id: z.string(),
  sentence: z.string(),
  published: z.string(),
  verdict: z.enum(['confirmed', 'refuted', 'inconclusive', 'not-testable']),
  directionVerdict: part,
  sizeVerdict: part,
  headline: z.string().describe('What was shown of direction and size, in one line'),
  direction: z.string(),
  measured: z
    .strictObject({
      value: z.number(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      unit: z.string(),
    })
    .nullable(),
  reason: z.string(),
  run: id.nullable(),
  command: z.string(),
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

const choice = z.strictObject({
  kind: z.literal('choice'),
  name: z.string(),
  values: z.array(parameterValue),
  default: parameterValue,
});

const integer = z.strictObject({
  kind: z.literal('integer'),
  name: z.string(),
  minimum: z.number(),
  maximum: z.number(),
  default: z.number(),
});

const benchmark = z.strictObject({
  benchmark: z.string(),
  title: z.string(),
  version: id,
  parameters: z.array(z.union([choice, integer])),
  metrics: z.array(z.strictObject(metric)),
  growthOver: z.string().nullable().describe('Parameter that results are drawn over'),
  newestRun: id.describe('Run that declared it last'),
});

export const filterValues = z.strictObject({
  benchmarks: z.array(benchmark),
  devices: z.array(z.string()),
  browsers: z.array(z.string()),
  families: z.array(z.enum(families)),
  operatingSystems: z.array(z.string()),
  cores: z.array(count),
  drivers: z.array(z.string()),
  versions: z.array(z.strictObject({ browser: z.string(), version: z.string() })),
  runs: z.array(z.strictObject({ run: id, suite: z.string(), status: runStatus, startedAt: time })),
});

export const progress = z.strictObject({
  run: id,
  status: runStatus,
  counts,
  startedAt: time,
  finishedAt: time.nullable(),
  leftMs: z
    .number()
    .nullable()
    .describe('Estimate of what is left; null where it is over, or nothing is known of its trials'),
  recent: z.array(
    z.strictObject({
      trial: id,
      case: z.string(),
      device: z.string(),
      outcome,
      startedAt: time,
      wallMs: z.number(),
    }),
  ),
});

export const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What was seen, as a sentence'),
  next: z.string().optional().describe('What to do'),
});

/** @public For the explorer. */
export type RunResponse = TypeOf<typeof run>;
/** @public For the explorer. */
export type TrialResponse = TypeOf<typeof trial>;
export type ProgressResponse = TypeOf<typeof progress>;
export type ClaimResponse = TypeOf<typeof claim>;
export type AnomalyResponse = TypeOf<typeof anomaly>;
export type JoiningResponse = TypeOf<typeof joining>;

/** @public For the explorer. */
export type SummaryResponse = TypeOf<typeof summary>;
/** @public For the explorer. */
export type FilterValuesResponse = TypeOf<typeof filterValues>;
