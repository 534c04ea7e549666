import { z } from 'zod';
import type { NightAnalysis } from './analyse-night.ts';

/**
 * `night.json`: the record of one night, for other programs and for the nights that follow. The
 * README of this folder explains each member; a test holds it to that.
 */

/** Everything that a night does, in its order. */
export const nightSteps = [
  'preflight',
  'run',
  'ledger',
  'aa',
  'builds',
  'analysis',
  'blame',
  'report',
  'junit',
  'integrity',
  'backup',
  'prune',
] as const;

export type NightStep = (typeof nightSteps)[number];

/**
 * `running`: since it began. `fine`, `attention` (exit code 1), `red` (3): how it ended. `broken-off`:
 * its farm died, which the night after it found.
 */
const nightStatuses = ['running', 'fine', 'attention', 'red', 'broken-off'] as const;

const text = z.string().max(100_000);
const count = z.int().min(0);
const milliseconds = z.number().min(0);
const share = z.number();

const step = z.strictObject({
  step: z.enum(nightSteps),
  outcome: z.enum(['done', 'failed', 'left-out']),
  startedAt: text,
  ms: milliseconds,
  /** Why it failed, or was left out; null when it was done. */
  because: text.nullable(),
});

const cell = z.strictObject({ ordinal: count, block: count, device: text, case: text });

const ledger = z.strictObject({
  planned: count,
  completed: count,
  failed: count,
  timedOut: count,
  skipped: count,
  /** Completed trials that do not count: the machine was outside its limits. */
  quarantined: count.default(0),
  /** How many have none; `missing` names the first hundred of them. */
  withoutOutcome: count,
  missing: z.array(cell).max(100),
});

const device = z.strictObject({
  id: text,
  /** `quarantined`: it was there, and died too often. */
  state: z.enum(['found', 'missing', 'quarantined']),
  browser: text.nullable(),
  version: text.nullable(),
  because: text.nullable(),
  /** Its cells that were tried, without repeats; and those of which a trial, or its repeat, counts. */
  tried: count.default(0),
  counting: count.default(0),
});

/** Outcome of copying a build that a later night may need. */
const build = z.strictObject({
  browser: text,
  version: text,
  kept: z.boolean(),
  because: text.nullable(),
});

const laneResult = z.strictObject({
  case: text,
  metric: text,
  blocks: count,
  low: z.number().nullable(),
  high: z.number().nullable(),
  smallestVisible: share.nullable(),
  /** True for a false alarm. */
  alarm: z.boolean(),
});

const laneHistory = z.strictObject({
  nights: count,
  comparisons: count,
  alarms: count,
  /** Share of the comparisons that raised an alarm, with its 95 % interval; null without any. */
  rate: z.strictObject({ rate: share, low: share, high: share }).nullable(),
  /** For each device and case the median over its nights of the smallest effect that was visible. */
  smallest: z.array(
    z.strictObject({
      device: text,
      case: text,
      metric: text,
      nights: count,
      smallestVisible: share.nullable(),
    }),
  ),
});

const found = z.strictObject({ id: text, title: text });

const analysis = z.strictObject({
  series: count,
  suspects: z.array(z.strictObject({ title: text, ratio: z.number(), cause: text })),
  anomalies: z.array(found.extend({ blame: text.optional() })),
  unconfirmed: z.array(z.strictObject({ title: text, reason: text })),
  gone: z.array(found),
}) satisfies z.ZodType<NightAnalysis>;

/** The changes since the night before, which are notified. */
const changeKinds = [
  'new-anomaly',
  'gone-anomaly',
  'red-night',
  'night-unusable',
  'night-broken-off',
  'no-longer-red',
  'device-lost',
  'device-back',
] as const;

const change = z.strictObject({ kind: z.enum(changeKinds), text });

const reason = z.strictObject({
  /** The step that it comes from. */
  step: z.enum(nightSteps),
  level: z.enum(['attention', 'red']),
  text,
});

/** A life of the night that ended with its farm, and was followed by another. */
const goingOn = z.strictObject({
  /** When the night was continued. */
  at: text,
  /** Mark of the farm that had died. */
  farm: text,
  /** The step in which it had died; null after the last one. */
  during: z.enum(nightSteps).nullable(),
});

const notification = z.strictObject({
  channel: z.enum(['webhook', 'slack', 'command', 'mail']),
  sent: z.boolean(),
  attempts: count,
  because: text.nullable(),
});

export const nightDeclaration = z.strictObject({
  kind: z.literal('crossfarm-night'),
  format: z.literal(1),
  /** Also the name of its folder. */
  id: text,
  status: z.enum(nightStatuses),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(3)]).nullable(),
  /** Why it is not fine. */
  reasons: z.array(reason),
  /** Its finding in one sentence; null until it is concluded. */
  headline: text.nullable().default(null),
  /** Against the nights before. */
  changes: z.array(change),
  startedAt: text,
  finishedAt: text.nullable(),
  host: text,
  /** Mark of the farm process, by which a later night sees whether this one still lives. */
  farm: text,
  farmVersion: text,
  database: text,
  suite: text,
  /** Its options, as JSON: a farm with the same options may continue it. */
  asked: text.nullable().default(null),
  /** Options that the configuration file set, as they would be typed. */
  configured: z.array(text).default([]),
  run: z.int().min(1).nullable(),
  preflight: z
    .strictObject({
      fit: z.boolean(),
      findings: z.array(
        z.strictObject({
          id: text,
          level: z.enum(['fine', 'caution', 'unfit']),
          what: text,
          remedy: text,
        }),
      ),
    })
    .nullable(),
  devices: z.array(device),
  ledger: ledger.nullable(),
  aa: z
    .strictObject({ target: text, results: z.array(laneResult), history: laneHistory })
    .nullable(),
  /** Copies of tonight's builds. */
  builds: z.array(build).default([]),
  analysis: analysis.nullable(),
  prune: z
    .strictObject({
      removed: z.array(z.int().min(1)),
      bytesBefore: count,
      bytesAfter: count,
      /** Why the file is as large as before, although runs went; null where it is not. */
      notShrunk: text.nullable().default(null),
    })
    .nullable(),
  files: z.strictObject({
    report: text.nullable(),
    junit: text.nullable(),
    backup: text.nullable(),
  }),
  steps: z.array(step),
  notifications: z.array(notification),
  /** Folders of nights before whose farm had died, found by this one. */
  brokenOff: z.array(text),
  /** How often its farm died, and it was continued; `steps` are those of the last continuation. */
  goneOn: z.array(goingOn).default([]),
});

type ReadonlyDeep<T> = T extends (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

export type NightDocument = ReadonlyDeep<z.infer<typeof nightDeclaration>>;

export type NightChange = NightDocument['changes'][number];
export type NightReason = NightDocument['reasons'][number];
export type GoingOn = NightDocument['goneOn'][number];
export type BuildOfNight = NightDocument['builds'][number];
export type NightDevice = NightDocument['devices'][number];
export type CellLedger = NonNullable<NightDocument['ledger']>;
export type AaLane = NonNullable<NightDocument['aa']>;
export type LaneResult = AaLane['results'][number];
export type LaneHistory = AaLane['history'];
export type SentNotification = NightDocument['notifications'][number];
export type Preflight = NonNullable<NightDocument['preflight']>;
export type PruneOfNight = NonNullable<NightDocument['prune']>;

/** Facts of a night before it begins. */
export interface NightFacts {
  readonly id: string;
  readonly startedAt: string;
  readonly host: string;
  readonly farm: string;
  readonly farmVersion: string;
  readonly database: string;
  readonly suite: string;
  readonly asked: string | null;
  /** None when left out. */
  readonly configured?: readonly string[];
}

/** The document as it is written first: a night that dies in its first step has left this. */
export function newNight(facts: NightFacts, brokenOff: readonly string[] = []): NightDocument {
  return {
    kind: 'crossfarm-night',
    format: 1,
    configured: [],
    ...facts,
    status: 'running',
    exitCode: null,
    reasons: [],
    headline: null,
    changes: [],
    finishedAt: null,
    run: null,
    preflight: null,
    devices: [],
    ledger: null,
    aa: null,
    builds: [],
    analysis: null,
    prune: null,
    files: { report: null, junit: null, backup: null },
    steps: [],
    notifications: [],
    brokenOff,
    goneOn: [],
  };
}
