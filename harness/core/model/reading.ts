import { z } from 'zod';
import type { TypeOf } from '../results/fields.ts';
import { numberList, text } from './bounded-value.ts';

/**
 * Readings of one trial: their one declaration, for probes, store, bundles, exported runs and API. It is
 * bounded, because files of other farms are hostile until parsed. Durations are in milliseconds unless
 * the name says otherwise.
 */

/** Probes whose readings have separate types and tables, because figures are drawn from them. */
export const builtInProbes = ['cpu-core', 'cpu-thread', 'environment', 'sched', 'trace'] as const;

export type BuiltInProbe = (typeof builtInProbes)[number];

const probeName = new RegExp(`^(?!(${builtInProbes.join('|')})$)[a-z][a-z0-9-]{0,39}$`);

/** The name of any other probe: one that declares its values (`harness/core/probes/declare-probe.ts`). */
export type DeclaredProbe = string & { readonly declared: true };

export const declaredProbe = z
  .string()
  .regex(probeName, 'must be a probe’s name') as z.ZodType<string> as z.ZodType<DeclaredProbe>;

export type ProbeName = BuiltInProbe | DeclaredProbe;

/** Probes that watch a trial only on request: they slow down what they watch. */
export type OptInProbe = 'sched' | 'trace' | DeclaredProbe;

export function isDeclaredProbe(name: string): name is DeclaredProbe {
  return !builtInProbes.some((builtIn) => builtIn === name);
}

/** The probe of the page's main thread, which comparisons of versions of a page are made with. */
export const mainThreadWait = 'main-thread-wait' as DeclaredProbe;

export const duration = z.number().min(0).max(1e12);
const wallMs = duration;
const costMs = duration.describe('What the probe itself used');
const atMs = z.number().describe('Since the timed window began');
const share = z.number().min(0).max(1_000).nullable();
const positive = z.number().min(0).nullable();
const count = z.int().min(0);
const processId = count.max(2 ** 31);
const systemName = text(200).describe('As the system has it: escape it');

/** Cumulative time of every core at one instant. */
const coreSnapshot = z.strictObject({
  atMs,
  busyMs: numberList(0, 10_000).describe(
    'Of each core since the window began: user, nice, system, interrupts',
  ),
  stealMs: numberList(0, 10_000).describe('Taken by the hypervisor, of each core'),
});
export type CoreSnapshot = TypeOf<typeof coreSnapshot>;

export const coreReading = z.strictObject({
  probe: z.literal('cpu-core'),
  wallMs,
  intervalMs: duration,
  snapshots: z.array(coreSnapshot).max(200_000),
  costMs,
});
export type CoreReading = TypeOf<typeof coreReading>;

const threadRole = z.enum(['js-main', 'js-worker', 'gc', 'jit', 'compositor', 'io', 'other']);
export type ThreadRole = TypeOf<typeof threadRole>;

const threadTotal = z.strictObject({
  pid: processId,
  tid: processId,
  /** browser, renderer, gpu, network, content, web, … as the engine names its processes. */
  process: systemName,
  /** The kernel cuts names at 15 characters. */
  name: systemName,
  role: threadRole,
  cpuMs: duration.describe('Exact time on CPU inside the window'),
  lastCore: count.max(100_000).nullable().describe('That it last ran on'),
});
export type ThreadTotal = TypeOf<typeof threadTotal>;

/** Cumulative CPU time of every role at one instant. A role that has used none yet is left out. */
const roleSample = z.strictObject({ atMs, cpuMs: z.partialRecord(threadRole, duration) });
export type RoleSample = TypeOf<typeof roleSample>;

export const threadReading = z.strictObject({
  probe: z.literal('cpu-thread'),
  wallMs,
  /** Threads of the session's process tree that used CPU inside the window. */
  threads: z.array(threadTotal).max(10_000),
  /** Never falling, from zero on, the last sample at the window's end. */
  timeline: z
    .array(roleSample)
    .max(200_000)
    .describe('CPU time by role since the window began; empty when it was too short to sample'),
  costMs,
});

export interface ThreadReading extends TypeOf<typeof threadReading> {
  /**
   * Of the JavaScript thread that ran most. It goes into the trial's result (`run/preemption.ts`), and is
   * not stored. Left out where the machine does not count it.
   */
  readonly wait?: ThreadWait;
}

/** Above this share of a thread's time, other JavaScript threads did part of its work. */
export const spreadFrom = 0.1;

/** How long a thread ran, and how long it had to wait for a core, inside the window. */
export interface ThreadWait {
  readonly ranMs: number;
  /** It was ready to run, and had no core. */
  readonly waitedMs: number;
  /** The run time of other JavaScript threads of its process, as a share of its own. */
  readonly spread: number;
}

/** A stretch of time in which one thread was on one core. */
const scheduleSlice = z.strictObject({
  fromMs: atMs,
  toMs: z.number(),
  role: z
    .enum([...threadRole.options, 'foreign'])
    .describe('Of the session’s thread; foreign for any other process'),
  thread: z.string().max(200).describe('As the kernel has it, cut at 15 characters: escape it'),
  tid: count,
});
export type ScheduleSlice = TypeOf<typeof scheduleSlice>;

/** The exact schedule, from the kernel's sched_switch events. */
export const scheduleReading = z.strictObject({
  probe: z.literal('sched'),
  wallMs,
  costMs,
  coresBusy: z
    .number()
    .min(0)
    .max(100_000)
    .describe(
      'Time of the session’s threads on a core ÷ wall: exact, from every event that was seen',
    ),
  cores: z
    .array(z.array(scheduleSlice).max(1_000_000))
    .max(10_000)
    .describe('One lane per core, its slices in time order; idle is a gap'),
  lostEvents: count.describe(
    'That were dropped or could not be read, and the shortest slices where there were too many; 0: whole',
  ),
});
export type ScheduleReading = TypeOf<typeof scheduleReading>;

/** A trace that the browser wrote during the trial. */
export const traceReading = z.strictObject({
  probe: z.literal('trace'),
  /** With forward slashes: traces/run-7/<file>. */
  file: z.string().describe('Relative to the folder of the database'),
  format: z.enum(['chrome-trace', 'firefox-profile']),
  /** The browser itself bears the cost of tracing, and the file is written at its end. */
  costMs: costMs.describe('Always 0'),
});
export type TraceReading = TypeOf<typeof traceReading>;
export type TraceFormat = TraceReading['format'];

/**
 * The state of a phone, in addition to the facts of every machine. A null is a value that it does
 * not show.
 */
const phoneFacts = z.strictObject({
  clockOffsetMs: z
    .number()
    .describe('Its clock (since its boot) minus this machine’s (since its own)'),
  /** So are the edges of the timed window in its readings. */
  clockErrorMs: duration.describe('The offset is right give or take this'),
  batteryPercent: z.number().min(0).max(1_000).nullable().describe('Before the trial, 0–100'),
  powered: z.boolean().nullable().describe('It was on a cable, or another source of power'),
  batteryCelsius: z.number().min(-300).max(1_000).nullable(),
  thermalStatus: count
    .max(100)
    .nullable()
    .describe('Android’s, before the trial: 0 none, 1 light, … 6 shutdown'),
});
export type PhoneFacts = TypeOf<typeof phoneFacts>;

/** A program that runs during a trial and is neither the session's nor the farm's. */
export interface Neighbour {
  readonly name: string;
  /** How many of its processes there were. */
  readonly processes: number;
  /** Of the CPU time of the whole machine, 0–1. */
  readonly share: number;
}

/** How long a process of the browser was kept from running inside the window. */
export interface Standstill {
  readonly process: string;
  /** By a signal or a debugger. */
  readonly stoppedMs: number;
  /** It was ready to run, and had next to no core. */
  readonly starvedMs: number;
}

/** The state of the machine around one trial. A null is a value that this machine does not show. */
export const environmentReading = z.strictObject({
  probe: z.literal('environment'),
  load1: positive,
  cpuPressure: share.describe('Of the last 10 s: in which some task waited for a CPU, 0–1'),
  freeMemoryBytes: positive,
  governor: text(100).nullable(),
  frequencyMhz: positive,
  /** From the page's warm-up to the end of its timed window. */
  foreignShare: share.describe('Of the CPU time: neither the session’s nor the farm’s, 0–1'),
  stealShare: share.describe('Of the same time: taken by the hypervisor, 0–1'),
  throttleEvents: positive.describe('How often the processor slowed a core down: it was too hot'),
  costMs,
  phone: phoneFacts.optional().describe('Left out where the browser was on this machine'),
});

/** With the facts that decide about the trial and those that are not stored with it. */
export interface EnvironmentReading extends TypeOf<typeof environmentReading> {
  /** Of the machine. */
  readonly cores?: number;
  /** The largest user of the foreign share. Named where the trial is quarantined. */
  readonly neighbours?: readonly Neighbour[];
  /** Of the process that stood still for longest, null when none did; left out without a look. */
  readonly standstill?: Standstill | null;
}

/** Half a sentence: why its machine counts the time of threads too coarsely; null where it does not. */
export function describeCoarseThreads(environment: object): string | null {
  return 'phone' in environment ? 'a phone counts the time of its threads in steps of 10 ms' : null;
}

/** Numbers of a list stand in the order of time. Null is a value that this machine does not show. */
const declaredContent = z.union([
  z.number(),
  text(1_000),
  z.array(z.number()).max(10_000),
  z.null(),
]);
export type DeclaredContent = TypeOf<typeof declaredContent>;

/** A value with its title and unit, so that it can be shown where its probe is not known. */
const declaredValue = z.strictObject({
  title: text(100),
  unit: text(20).nullable(),
  value: declaredContent,
});
export type DeclaredValue = TypeOf<typeof declaredValue>;

/** Names that JSON paths of SQL need not quote: `document ->> '$.rpm.value'`. */
const valueName = z.string().regex(/^[a-z][A-Za-z0-9]{0,39}$/);

/** Reading of a probe that declares its values, by the names that it gives them. */
export const declaredReading = z.strictObject({
  probe: declaredProbe,
  values: z
    .record(valueName, declaredValue)
    .refine((all) => Object.keys(all).length <= 100, { message: 'must be 100 at most' }),
  costMs: duration,
});
export type DeclaredReading = TypeOf<typeof declaredReading>;

export const notSupported = z.strictObject({
  probe: z.union([z.enum(builtInProbes), declaredProbe]),
  notSupported: z.string().max(20_000).describe('Why there is no reading'),
});
export type NotSupported = TypeOf<typeof notSupported>;

/** A reading of a built-in probe. */
export type BuiltInReading =
  CoreReading | ThreadReading | EnvironmentReading | ScheduleReading | TraceReading;

export type Reading = BuiltInReading | DeclaredReading | NotSupported;
