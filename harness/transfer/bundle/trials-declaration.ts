import { z } from 'zod';
import { text } from '../../plan/catalog/declaration.ts';
import {
  isDeclaredProbe,
  type NotSupported,
  type ProbeName,
  type Reading,
  type ThreadRole,
} from '../../model/reading.ts';
import { declaredProbe, declaredReading } from '../../probes/declared-reading.ts';
import { numberList, trialResult } from '../../server/messages.ts';
import { plainName } from './declaration.ts';

/** The form of `trials.json`: the raw data. A page's result has the form that the server demands. */

const duration = z.number().min(0).max(1e12);
const processId = z
  .int()
  .min(0)
  .max(2 ** 31);
const share = z.number().min(0).max(1_000).nullable();

const roleTimes = z.strictObject({
  'js-main': duration.optional(),
  'js-worker': duration.optional(),
  gc: duration.optional(),
  jit: duration.optional(),
  compositor: duration.optional(),
  io: duration.optional(),
  other: duration.optional(),
} satisfies Record<ThreadRole, z.ZodType>);

const role = roleTimes.keyof();

const cores = z.strictObject({
  probe: z.literal('cpu-core'),
  wallMs: duration,
  intervalMs: duration,
  snapshots: z
    .array(
      z.strictObject({
        atMs: z.number(),
        busyMs: numberList(0, 10_000),
        stealMs: numberList(0, 10_000),
      }),
    )
    .max(200_000),
  costMs: duration,
});

const threads = z.strictObject({
  probe: z.literal('cpu-thread'),
  wallMs: duration,
  threads: z
    .array(
      z.strictObject({
        pid: processId,
        tid: processId,
        process: text(200),
        name: text(200),
        role,
        cpuMs: duration,
        lastCore: z.int().min(0).max(100_000).nullable(),
      }),
    )
    .max(10_000),
  timeline: z.array(z.strictObject({ atMs: z.number(), cpuMs: roleTimes })).max(200_000),
  costMs: duration,
});

const phone = z.strictObject({
  clockOffsetMs: z.number(),
  clockErrorMs: duration,
  batteryPercent: z.number().min(0).max(1_000).nullable(),
  powered: z.boolean().nullable(),
  batteryCelsius: z.number().min(-300).max(1_000).nullable(),
  thermalStatus: z.int().min(0).max(100).nullable(),
});

const environment = z.strictObject({
  probe: z.literal('environment'),
  load1: z.number().min(0).nullable(),
  cpuPressure: share,
  freeMemoryBytes: z.number().min(0).nullable(),
  governor: text(100).nullable(),
  frequencyMhz: z.number().min(0).nullable(),
  foreignShare: share,
  stealShare: share,
  throttleEvents: z.number().min(0).nullable(),
  costMs: duration,
  phone: phone.optional(),
});

/** The node of a grid. Its address is shown, and never contacted. */
const node = z.strictObject({
  id: text(200),
  uri: text(4_096),
  name: text(100).optional(),
});

/** In milliseconds; no clock is wrong by more than three hundred years. */
const clock = z.strictObject({
  offsetMs: z.number().min(-1e13).max(1e13),
  errorMs: duration,
  roundTrips: z.int().min(1).max(10_000),
});

/** Values with a fixed form. */
export const readingForms = { cores, threads, environment, role, duration, clock } as const;

/** A schedule and a trace are too large to travel, and nothing is judged by them. */
const travelling = ['cpu-core', 'cpu-thread', 'environment'] as const;

const notSupported: z.ZodType<NotSupported> = z.strictObject({
  probe: z.union([z.enum(travelling), declaredProbe]),
  notSupported: text(2000),
});

const reading: z.ZodType<Reading> = z.union([
  notSupported,
  cores,
  threads,
  environment,
  declaredReading,
]);

export function travels(probe: ProbeName): boolean {
  return isDeclaredProbe(probe) || travelling.some((one) => one === probe);
}

export const failure = z.strictObject({
  code: z.enum([
    'launch-failed',
    'navigation-failed',
    'browser-died',
    'page-error',
    'wrong-result',
    'bad-message',
    'timed-out',
    'probe-failed',
    'farm-error',
  ]),
  message: text(4000),
});

const outcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('completed'),
    result: trialResult,
    readings: z.array(reading).max(100),
    quarantine: z.array(text(1000)).max(20),
  }),
  z.strictObject({ kind: z.literal('failed'), failure }),
  z.strictObject({ kind: z.literal('timed-out'), failure }),
  z.strictObject({ kind: z.literal('skipped'), reason: text(4000), remedy: text(4000) }),
]);

const trial = z.strictObject({
  ordinal: z.int().min(0).max(1_000_000),
  /** At most 500 of them: see `mostAnswers` for why. */
  block: z.int().min(0).max(499),
  /** Place in `lanes` of `bundle.json`. */
  lane: z.int().min(0).max(1_000),
  repeats: z.int().min(0).max(1_000_000).optional(),
  browser: z.strictObject({ name: plainName, version: text(60) }).nullable(),
  node: node.optional(),
  clock: clock.optional(),
  failedAttempts: z.array(z.strictObject({ number: z.int().min(1).max(100), failure })).max(100),
  startedAt: z.iso.datetime(),
  wallMs: duration,
  outcome,
});

export const trialsDeclaration = z.strictObject({ trials: z.array(trial).max(20_000) });

export type BundleTrial = z.infer<typeof trial>;
