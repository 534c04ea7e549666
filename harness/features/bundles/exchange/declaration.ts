import { z } from 'zod';
import { clock, failure, manifestDeclaration, plainName } from '../bundle/declaration.ts';
import { benchmarkDeclaration, few } from '../../../core/plan/catalog/declaration.ts';
import { browserFamilies } from '../../../core/model/family.ts';
import { text } from '../../../core/model/bounded-value.ts';
import {
  coreReading,
  declaredReading,
  duration,
  environmentReading,
  notSupported,
  type Reading,
  scheduleReading,
  threadReading,
} from '../../../core/model/reading.ts';
import { trialResult } from '../../../core/server/messages.ts';

/**
 * The form of an exported run: one JSON document, described in README.md. Everything is bounded, because a
 * document is untrusted until it was parsed. Facts that a bundle has, too, have the same form as there.
 */

/**
 * The newest format that is read. 2 adds the readings of declared probes; a run without any is written
 * in format 1, which older farms read.
 */
export const documentFormat = 2;

const { machine, seed, isolation, command } = manifestDeclaration.shape;

/** Text of a page, a browser or a probe. It is kept unchanged, and escaped where it is shown. */
const said = z.string().max(20_000);
const instant = z.iso.datetime();
const deviceId = z.string().regex(/^[a-z0-9][a-z0-9._@-]{0,99}$/, 'must be a device’s id');
const version = z.string().min(1).max(100);
const place = z.string().max(4_096);

/** How its machine is reached stays with the farm that reaches it. */
const remote = z.strictObject({ node: text(100).optional() });

const node = z.strictObject({ id: text(200), uri: place, name: text(100).optional() });

const limitMs = z.int().min(1).max(1e9).optional();

const device = z.strictObject({
  id: deviceId,
  name: text(200),
  browser: plainName,
  driver: plainName,
  executable: place.optional(),
  server: place.optional(),
  phone: z
    .strictObject({
      platform: z.enum(['android', 'ios']),
      udid: text(200).optional(),
      appPackage: text(200).optional(),
      pages: z.literal('lan').optional(),
      profile: z.literal('erase').optional(),
      limits: z.strictObject({ launchMs: limitMs, loadMs: limitMs }).optional(),
    })
    .optional(),
  remote: remote.optional(),
  emulation: z
    .strictObject({
      descriptor: text(100).optional(),
      cpuThrottling: z.number().gt(1).max(100).optional(),
    })
    .optional(),
  version: version.optional(),
  headless: z.boolean(),
  flags: z.array(z.string().max(1_000)).max(200),
  preferences: few(z.string(), z.union([said, z.number(), z.boolean()]), 1_000),
  environment: few(z.string(), said, 1_000),
  cores: z.int().min(1).max(100_000).optional(),
  family: z.enum(browserFamilies).optional(),
  automatic: z.boolean(),
});

const capability = z.strictObject({
  name: text(100),
  supported: z.boolean(),
  because: text(1_000).optional(),
});

const presence = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('found'),
    device,
    browser: z.strictObject({ name: plainName, version }),
    executable: place,
    server: place.optional(),
    node: node.optional(),
    passedOver: z
      .array(z.strictObject({ driver: plainName, reason: said }))
      .min(1)
      .max(20)
      .optional(),
    capabilities: z.array(capability).max(100),
  }),
  z.strictObject({
    status: z.literal('missing'),
    device,
    reason: said,
    remedy: said,
    capabilities: z.array(capability).max(100),
  }),
]);

const reading: z.ZodType<Reading> = z.union([
  notSupported,
  coreReading,
  threadReading,
  environmentReading,
  scheduleReading,
  declaredReading,
]);

const failureSaid = failure.extend({ message: said });

const outcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('completed'),
    result: trialResult,
    readings: z.array(reading).max(100),
    quarantine: z.array(said).max(100),
  }),
  z.strictObject({ kind: z.literal('failed'), failure: failureSaid }),
  z.strictObject({ kind: z.literal('timed-out'), failure: failureSaid }),
  z.strictObject({ kind: z.literal('skipped'), reason: said, remedy: said }),
]);

const trial = z.strictObject({
  outcome,
  browser: z.strictObject({ name: plainName, version }).nullable(),
  node: node.optional(),
  clock: clock.optional(),
  waitedMs: duration.optional(),
  failedAttempts: z
    .array(z.strictObject({ number: z.int().min(1).max(1_000), failure: failureSaid }))
    .max(1_000),
  startedAt: instant,
  wallMs: duration,
});

/** Place in `cases`. */
const caseIndex = z.int().min(0).max(1_000_000);
const ordinal = z.int().min(0).max(10_000_000);

const cell = z.strictObject({
  ordinal,
  block: z.int().min(0).max(1_000_000),
  case: caseIndex,
  device: deviceId,
  sessionKey: z.string().max(500),
  repeats: ordinal.optional(),
  trial: trial.nullable(),
});

const run = z.strictObject({
  /** In the database that it was exported from. */
  id: z.int().min(1),
  identity: text(500).min(1),
  suite: text(300),
  seed,
  isolation,
  preset: z.literal('fast').optional(),
  command,
  farmVersion: version,
  machine,
  status: z.enum(['running', 'finished', 'interrupted']),
  startedAt: instant,
  finishedAt: instant.nullable(),
});

const question = z.strictObject({
  asked: manifestDeclaration.shape.question,
  /** The lanes of `asked`, by their positions. */
  lanes: z.array(z.strictObject({ device: deviceId, case: caseIndex })).max(1_000),
});

const parameterValue = z.union([text(100), z.number(), z.boolean()]);

export const runDeclaration = z.strictObject({
  kind: z.literal('crossfarm-run'),
  format: z.int().min(1).max(documentFormat),
  run,
  devices: z.array(presence).min(1).max(1_000),
  benchmarks: z.array(benchmarkDeclaration).max(1_000),
  cases: z
    .array(z.strictObject({ benchmark: plainName, parameters: few(plainName, parameterValue, 20) }))
    .max(100_000),
  cells: z.array(cell).max(1_000_000),
  question: question.nullable(),
});

export type RunDocument = z.infer<typeof runDeclaration>;
export type DocumentCell = RunDocument['cells'][number];

/** Looked at before all else: what a newer farm wrote is not called invalid. */
export const kindDeclaration = z.object({
  kind: z.literal('crossfarm-run'),
  format: z.int().min(1),
});
