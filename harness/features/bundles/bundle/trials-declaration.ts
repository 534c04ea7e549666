import { z } from 'zod';
import { text } from '../../../model/bounded-value.ts';
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
} from '../../../model/reading.ts';
import { trialResult } from '../../../server/messages.ts';
import { plainName } from './declaration.ts';

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
