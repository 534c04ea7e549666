import { z } from 'zod';
import type { Course, PairVerdict } from './verdicts.ts';
import {
  cellCounts,
  count,
  family,
  id,
  measured,
  parameterValue,
  runStatus,
  time,
  type TypeOf,
} from './fields.ts';

/**
 * Everything that was ever stored, as the store gives it row by row, and as the API, its document and
 * the explorer have it. Strict: members that are not declared here are not sent.
 */

export const outcome = z.enum(['completed', 'failed', 'timed-out', 'skipped']);

export const place = {
  run: id,
  runStartedAt: time.describe('When its run began; ISO 8601, UTC'),
  device: z.string().describe('Id in devices.json'),
  deviceName: z.string(),
  browser: z.string().describe('Product: chromium, firefox, …'),
  family: family.nullable().describe('Null for a program of which only its owner knows what it is'),
  version: z.string().nullable().describe('Null where the device was missing'),
  driver: z.string(),
  os: z.string().describe('linux, macos, windows, android or ios'),
  system: z.string().nullable(),
  cores: count.nullable().describe('Logical cores; null where nobody could ask'),
  emulated: z.boolean().describe('A browser that pretends to be another device'),
};

/** A device of one run, with what its results are filtered by. */
export type Place = TypeOf<z.ZodObject<typeof place>>;

export const subject = {
  benchmark: z.string(),
  benchmarkVersion: id,
  case: z.string(),
  parameters: z.record(z.string(), parameterValue),
};

/** A case as one run declared it. */
export type Subject = TypeOf<z.ZodObject<typeof subject>>;

const metric = { ...measured, metricTitle: z.string() };

export type MeasuredMetric = TypeOf<z.ZodObject<typeof metric>>;

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
  counts: cellCounts,
});

/** A run as a list shows it. */
export type ListedRun = TypeOf<typeof run>;

export const runOutcome = z.strictObject({
  run: id,
  headline: z
    .string()
    .nullable()
    .describe('What it found, in a sentence; may quote a page: escape it'),
  faster: count.describe('Of its comparisons; 0 where it answers a question'),
  slower: count,
  equivalent: count,
  undecided: count,
});

/** The results of a run, as its report decides them. */
export type RunOutcome = TypeOf<typeof runOutcome>;

export const cell = z.strictObject({
  ordinal: count.describe('Place in the plan'),
  block: count,
  case: z.string(),
  device: z.string(),
  repeats: count.nullable().describe('Ordinal of the quarantined cell that it does once more'),
  outcome: outcome.nullable().describe('Null: it has none yet'),
  trial: id.nullable(),
});

/** A planned trial, with how it ended if it has. */
export type ListedCell = TypeOf<typeof cell>;

const statistics = z.strictObject({
  mean: z.number(),
  median: z.number(),
  minimum: z.number(),
  maximum: z.number(),
  low: z
    .number()
    .describe('Of the interval of the median: it describes this series, and decides no comparison'),
  high: z.number(),
  confidence: z.number().describe('What the interval covers, 0–1'),
});

export type Statistics = TypeOf<typeof statistics>;

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

/** One series (case × device × metric) in one run. */
export type Summary = TypeOf<typeof summary>;

export const device = z.strictObject({
  ...place,
  status: z.enum(['found', 'missing']),
  reason: z.string().nullable(),
  remedy: z.string().nullable(),
  headless: z.boolean(),
  flags: z.array(z.string()),
});

/** A device as the newest run that looked for it found it. */
export type ListedDevice = TypeOf<typeof device>;

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
  explorable: z
    .boolean()
    .describe('There is a curve to draw: several cases of a parameter, or three runs'),
});

/** A benchmark as its newest run declared it. */
export type ListedBenchmark = TypeOf<typeof benchmark>;

export const filterValues = z.strictObject({
  benchmarks: z.array(benchmark),
  devices: z.array(z.string()),
  browsers: z.array(z.string()),
  families: z.array(family),
  operatingSystems: z.array(z.string()),
  cores: z.array(count),
  drivers: z.array(z.string()),
  versions: z.array(z.strictObject({ browser: z.string(), version: z.string() })),
  runs: z.array(z.strictObject({ run: id, suite: z.string(), status: runStatus, startedAt: time })),
});

/** Everything that the history can be narrowed by, as it occurs in it; not all of very many runs. */
export type FilterValues = TypeOf<typeof filterValues>;

/** The comparisons of a run in progress, when its farm looked at them last. */
export interface RunLook {
  /** Share within which a difference does not matter. */
  readonly margin: number;
  /** Probability of a wrong verdict; the usual one of a run by an older farm. */
  readonly alpha?: number;
  /** Each with the ratios of its blocks so far. */
  readonly pairs: readonly PairVerdict[];
  /** As `Verdicts` has it. */
  readonly looks?: readonly Course['looks'][];
}

const runStage = z.strictObject({
  at: time.describe('When the farm that carries it out said this'),
  leftMs: z.number().nullable().describe('Of that time'),
  endsEarly: z.boolean().describe('It ends when all is decided, or its time is up'),
  blocks: count.describe('That have ended'),
  most: z.strictObject({ trials: count, blocks: count }).describe('It has no more'),
  looked: count.describe('Looks at its comparisons so far'),
});

/** How far a run is, as its farm says it. */
export type RunStage = TypeOf<typeof runStage>;

const storedProgress = z.strictObject({
  run: id,
  status: runStatus,
  counts: cellCounts,
  startedAt: time,
  finishedAt: time.nullable(),
  recent: z
    .array(
      z.strictObject({
        trial: id,
        case: z.string(),
        device: z.string(),
        outcome,
        startedAt: time,
        wallMs: z.number(),
      }),
    )
    .describe('Trials that ended last, the newest first; none once the run has ended'),
  stage: runStage.nullable().describe('Null once the run has ended, or of an older farm'),
});

export type StoredProgress = TypeOf<typeof storedProgress>;

export const progress = storedProgress.extend({
  leftMs: z
    .number()
    .nullable()
    .describe('Estimate of what is left; null where it is over, or nothing is known of its trials'),
});

export type Progress = TypeOf<typeof progress>;
