import { z } from 'zod';
import { browserFamilies } from '../../../core/model/family.ts';
import { text } from '../../../core/model/bounded-value.ts';
import {
  coreReading,
  declaredProbe,
  declaredReading,
  duration,
  environmentReading,
  isDeclaredProbe,
  notSupported,
  type ProbeName,
  type Reading,
  threadReading,
} from '../../../core/model/reading.ts';
import { few, suiteDeclaration } from '../../../core/plan/catalog/declaration.ts';
import { trialResult } from '../../../core/server/messages.ts';
import { bundleFormat } from './format.ts';

/**
 * The form of `bundle.json`, with a bound on everything: a bundle is untrusted until it was
 * parsed. Numbers cannot be infinite or NaN (`z.number()` refuses both), text has no control
 * characters, and parts of a path, a flag or an id have stricter forms.
 */

/** Replaces characters that `text` refuses: each run of them becomes a space. */
export const notOneLine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

const name = text(200)
  .min(1)
  .regex(/^[^<>]*$/, 'must be a name, without "<" and ">"');

/** Of a device, the changed ones included: `chromium@without-parallel-gc`. */
const deviceId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._@-]{0,99}$/,
    'must be lower-case letters, digits, ".", "_", "@" or "-"',
  );

/** Of a benchmark, a product, a driver, a parameter: nothing that could be a path. */
export const plainName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9-]{0,62}$/, 'must be letters, digits and "-"');

const version = z.string().regex(/^[\w.+ -]{1,60}$/, 'must be a version');
const instant = z.iso.datetime();
const count = z.int().min(0).max(100_000);
const parameterValue = z.union([text(100), z.number(), z.boolean()]);

const machine = z.strictObject({
  hostname: name,
  platform: plainName,
  release: text(200),
  system: text(200),
  architecture: text(60),
  cpuModel: text(200),
  logicalCores: z.int().min(1).max(100_000),
  memoryBytes: z.number().min(0),
  virtualization: text(60).nullable(),
  nodeVersion: version,
  asRoot: z.boolean(),
});

const preferenceName = z.string().regex(/^[\w.-]{1,200}$/, 'must be a preference');
const variableName = z.string().regex(/^\w{1,200}$/, 'must be an environment variable');

const device = z.strictObject({
  id: deviceId,
  name,
  browser: plainName,
  driver: plainName,
  headless: z.boolean(),
  flags: z.array(text(1000)).max(100),
  preferences: few(preferenceName, z.union([text(1000), z.number(), z.boolean()]), 200),
  environment: few(variableName, text(1000), 100),
  cores: z.int().min(1).max(100_000).optional(),
  family: z.enum(browserFamilies).optional(),
  platform: z.enum(['android', 'ios']).optional(),
  emulation: z
    .strictObject({
      descriptor: text(100).optional(),
      cpuThrottling: z.number().gt(1).max(100).optional(),
    })
    .optional(),
  browserName: plainName,
  browserVersion: version,
});

const lane = z.strictObject({
  device: deviceId,
  benchmark: plainName,
  parameters: few(plainName, parameterValue, 20),
});

/** Judging one over 500 blocks takes a quarter of a second; an untrusted file must not take hours. */
const mostAnswers = 60;

/** A replay measures all of them in every block; the largest claim, each suspect switched off, has fewer. */
const mostLanes = 40;

/** Place in `lanes`. */
const laneIndex = z.int().min(0).max(1_000);

const quantity = z
  .string()
  .regex(
    /^(?:counter:)?[A-Za-z][A-Za-z0-9 _-]{0,62}$/,
    'must be a metric, a counter or a probe’s number',
  );

const bound = z.number().nullable();
const assertionFacts = {
  sentence: text(1000).min(1),
  role: z.enum(['verdict', 'explanation']),
  quantity,
  expected: z.strictObject({ above: z.number().optional(), below: z.number().optional() }),
  published: z.strictObject({ text: text(1000), low: bound, high: bound }),
};

const assertion = z.discriminatedUnion('kind', [
  z.strictObject({
    ...assertionFacts,
    kind: z.literal('ratio'),
    a: laneIndex,
    b: laneIndex,
    against: quantity.optional(),
  }),
  z.strictObject({ ...assertionFacts, kind: z.literal('level'), of: laneIndex }),
  z.strictObject({
    ...assertionFacts,
    kind: z.literal('change'),
    a: laneIndex,
    b: laneIndex,
    c: laneIndex,
    d: laneIndex,
  }),
]);

const counterfactual = z.strictObject({
  id: plainName,
  sentence: text(1000),
  change: text(2000),
  quantity,
  withCause: laneIndex,
  withoutCause: laneIndex,
  effect: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ratio'), against: laneIndex }),
    z.strictObject({ kind: z.literal('level'), base: z.number() }),
  ]),
});

const question = z.strictObject({
  id: plainName,
  title: text(200).min(1),
  sentence: text(2000).min(1),
  source: text(1000),
  published: text(2000),
  notes: z.array(text(2000)).max(100),
  measurement: suiteDeclaration.shape.measurement,
  assertions: z.array(assertion).min(1).max(mostAnswers),
  counterfactuals: z.array(counterfactual).max(mostAnswers),
});

const interval = z.strictObject({ value: z.number(), low: bound, high: bound }).nullable();

const numbers = z.strictObject({
  verdict: z.enum(['confirmed', 'refuted', 'inconclusive']),
  blocks: count,
  assertions: z
    .array(
      z.strictObject({
        measured: interval,
        blocks: count,
        outcome: z.enum(['holds', 'fails', 'open']),
        size: z.enum(['as published', 'smaller', 'larger', 'open', 'not published']),
      }),
    )
    .max(mostAnswers),
  counterfactuals: z
    .array(z.strictObject({ withCause: interval, withoutCause: interval, explained: interval }))
    .max(mostAnswers),
});

const file = z.strictObject({
  path: text(200),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits'),
});

export const manifestDeclaration = z.strictObject({
  format: z.int().min(1).max(bundleFormat),
  farmVersion: version,
  seed: z.int().min(0).max(0xffff_ffff),
  isolation: z.enum(['session', 'page']),
  command: text(10_000),
  startedAt: instant,
  machine,
  devices: z.array(device).min(1).max(100),
  lanes: z.array(lane).min(1).max(mostLanes),
  question,
  numbers,
  files: z.array(file).max(1_000),
});

export type Manifest = z.infer<typeof manifestDeclaration>;

/** Looked at before all else: what a newer farm wrote is not called invalid. */
export const formatDeclaration = z.object({ format: z.int().min(1) });

/** The form of `trials.json`: the raw data. A page's result has the form that the server demands. */

/** The node of a grid. Its address is shown, and never contacted. */
const node = z.strictObject({
  id: text(200),
  uri: text(4_096),
  name: text(100).optional(),
});

/** In milliseconds; no clock is wrong by more than three hundred years. */
export const clock = z.strictObject({
  offsetMs: z.number().min(-1e13).max(1e13),
  errorMs: duration,
  roundTrips: z.int().min(1).max(10_000),
});

/** A schedule and a trace are too large to travel, and nothing is judged by them. */
const travelling = ['cpu-core', 'cpu-thread', 'environment'] as const;

const notGiven = notSupported.extend({
  probe: z.union([z.enum(travelling), declaredProbe]),
  notSupported: text(2000),
});

const reading: z.ZodType<Reading> = z.union([
  notGiven,
  coreReading,
  threadReading,
  environmentReading,
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
