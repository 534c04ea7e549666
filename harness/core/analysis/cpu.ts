import { max, min, sum } from 'simple-statistics';
import type {
  CoreTimeline,
  CpuFacts,
  ProbeFacts,
  ProbeValue,
  RoleTimeline,
  ScheduleFacts,
  ThreadSummary,
  TraceFacts,
} from '../results/index.ts';
import {
  isDeclaredProbe,
  type CoreReading,
  type DeclaredValue,
  type NotSupported,
  type ProbeName,
  type Reading,
  type RoleSample,
  type ScheduleReading,
  type ThreadReading,
  type ThreadRole,
  type ThreadTotal,
  type TraceReading,
} from '../model/reading.ts';
import { explanationProbe } from '../model/explanation.ts';
import type { TrialResult } from '../model/trial.ts';
import { groupBy } from './grouping.ts';
import { type CompletedTrial, type Series, type TrialValue, typicalTrial } from './series.ts';

/**
 * Makes the CPU facts of each case × target, from the trial whose value is nearest to the median.
 */
export function makeCpuFacts(series: readonly Series[]): readonly CpuFacts[] {
  return series
    .filter((one) => one.metric === one.case.benchmark.metrics[0])
    .flatMap((one) => {
      const chosen = typicalTrial(one.values);
      return chosen === null ? [] : cpuFactsOf(one, chosen);
    });
}

function cpuFactsOf(series: Series, { trial, block }: TrialValue): readonly CpuFacts[] {
  const { readings } = trial.outcome;
  const cores = findReading(readings, 'cpu-core');
  const threads = findReading(readings, 'cpu-thread');
  const schedule = findReading(readings, 'sched');
  const trace = findReading(readings, 'trace');
  const others = readings.flatMap(otherFacts);
  const isWatched = [cores, threads, schedule, trace].some((one) => one !== null);
  if (!isWatched && others.length === 0) return [];
  return [
    {
      caseName: series.caseName,
      targetId: series.deviceId,
      block,
      wallMs: wallOf(cores) ?? wallOf(threads) ?? wallOf(schedule) ?? 0,
      cores: describe(cores, coreTimeline) ?? probeOff,
      threads: describe(threads, (one) => summarizeThreads(one, trial.outcome.result)) ?? probeOff,
      foreignShare: foreignShareOf(findReading(readings, 'environment')),
      // Opt-in probes are left out when they were off.
      ...optional('schedule', describe(schedule, scheduleFacts)),
      ...optional('trace', describe(trace, traceFacts)),
      ...optional('others', others.length === 0 ? null : others),
    },
  ];
}

interface MissingReading {
  readonly notSupported: string;
}

const probeOff: MissingReading = { notSupported: 'the probe was off' };

/** Returns the facts of a reading, or why the probe gave none; null without a reading. */
function describe<R extends Reading, S>(
  reading: R | NotSupported | null,
  facts: (reading: R) => S,
): S | MissingReading | null {
  if (reading === null) return null;
  return isUnsupported(reading) ? { notSupported: reading.notSupported } : facts(reading);
}

export function isUnsupported(reading: Reading): reading is NotSupported {
  return 'notSupported' in reading;
}

function optional<K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

type NamedReading<N extends ProbeName> = Extract<Reading, { probe: N }>;

/**
 * Returns the reading of one probe for a trial, or the reason why it is missing; null if the probe
 * was off.
 */
export function findReading<N extends ProbeName>(
  readings: readonly Reading[],
  name: N,
): NamedReading<N> | null {
  return (readings.find((one) => one.probe === name) as NamedReading<N> | undefined) ?? null;
}

function wallOf(reading: { readonly wallMs?: number } | null): number | null {
  return reading?.wallMs ?? null;
}

function foreignShareOf(reading: NamedReading<'environment'> | null): number | null {
  return reading === null || isUnsupported(reading) ? null : reading.foreignShare;
}

/** Leaves out thread ids: in a report a thread's name says more. */
function scheduleFacts({ wallMs, coresBusy, lostEvents, cores }: ScheduleReading): ScheduleFacts {
  return {
    wallMs,
    coresBusy,
    lostEvents,
    cores: cores.map((slices) =>
      slices.map(({ fromMs, toMs, role, thread }) => ({ fromMs, toMs, role, thread })),
    ),
  };
}

function traceFacts({ file, format }: TraceReading): TraceFacts {
  return { file, format };
}

/** The values of a probe that declares them; none of a built-in one. */
function otherFacts(reading: Reading): readonly ProbeFacts[] {
  const { probe } = reading;
  // It stands below the measures that it explains.
  if (probe === explanationProbe) return [];
  if ('values' in reading) return [{ probe, values: Object.values(reading.values).map(toValue) }];
  if (!isDeclaredProbe(probe) || !isUnsupported(reading)) return [];
  return [{ probe, notSupported: reading.notSupported }];
}

/** How the browser explains the values of a trial; nothing where it does not. */
export function explainedValues(readings: readonly Reading[]): readonly ProbeValue[] {
  const reading = readings.find(({ probe }) => probe === explanationProbe);
  if (reading === undefined || !('values' in reading)) return [];
  return Object.values(reading.values).map(toValue);
}

/** A report shows the bounds of a list. */
function toValue({ title, unit, value }: DeclaredValue): ProbeValue {
  if (value === null || typeof value !== 'object') return { title, unit, value };
  const bounds = value.length === 0 ? null : ([min([...value]), max([...value])] as const);
  return { title, unit, value: bounds };
}

/** The kernel counts in ticks of 10 ms, so a slice shorter than a few of them would show its rounding. */
const shortestSliceMs = 50;
/** More slices could not be distinguished in a card of a report. */
const mostSlices = 48;

/** Returns the busy share of each core in equal slices of the window, from cumulative snapshots. */
export function coreTimeline(reading: CoreReading): CoreTimeline {
  const slices = Math.max(1, Math.min(mostSlices, Math.floor(reading.wallMs / shortestSliceMs)));
  const sliceMs = reading.wallMs / slices;
  const cores = reading.snapshots[0]?.busyMs.length ?? 0;
  const spentOf = spentInSlices(reading.snapshots, { count: slices, ms: sliceMs });
  const busy = Array.from({ length: cores }, (_, core) =>
    spentOf(({ busyMs }) => busyMs[core] ?? 0).map((ms) =>
      sliceMs > 0 ? Math.min(1, Math.max(0, ms / sliceMs)) : 0,
    ),
  );
  return { sliceMs, busy, costShare: reading.wallMs > 0 ? reading.costMs / reading.wallMs : 0 };
}

const javascriptRoles: ReadonlySet<ThreadRole> = new Set(['js-main', 'js-worker']);
const mostThreads = 12;

/** Returns the sums of a trial without their timeline; null where threads were not read. */
export function readThreadTotals({ outcome }: CompletedTrial): ThreadSummary | null {
  const reading = findReading(outcome.readings, 'cpu-thread');
  // Only the totals are needed, and a timeline takes a hundred times as long.
  return reading === null || isUnsupported(reading)
    ? null
    : summarizeThreads({ ...reading, timeline: [] }, outcome.result);
}

/**
 * Sums threads. Cores busy = Σ thread time / wall; JavaScript parallelism = Σ js time / wall. The
 * kit's reference work between the iterations is neither in the times nor in the wall.
 */
export function summarizeThreads(
  reading: ThreadReading,
  { steadyState }: Pick<TrialResult, 'steadyState'>,
): ThreadSummary {
  const { threads, wallMs } = withoutReference(reading, steadyState?.reference?.windowMs ?? 0);
  const total = cpuOf(threads);
  const byRole = groupBy(threads, (thread) => thread.role);
  const over = (ms: number): number => (wallMs > 0 ? ms / wallMs : 0);
  return {
    coresBusy: over(total),
    javascriptParallelism: over(cpuOf(threads.filter((one) => javascriptRoles.has(one.role)))),
    gcShare: total > 0 ? cpuOf(byRole.get('gc') ?? []) / total : 0,
    roles: [...byRole]
      .map(([role, ours]) => ({ role, cpuMs: cpuOf(ours) }))
      .sort((a, b) => b.cpuMs - a.cpuMs),
    threads: threads
      .toSorted((a, b) => b.cpuMs - a.cpuMs)
      .slice(0, mostThreads)
      .map(({ process: processType, name, role, cpuMs }) => ({
        process: processType,
        name,
        role,
        cpuMs,
      })),
    timeline: roleTimeline(reading),
  };
}

/**
 * The busiest thread of JavaScript measures, and so does the reference work: up to an eighth of the
 * window, on one core.
 */
function withoutReference(
  { threads, wallMs }: ThreadReading,
  referenceMs: number,
): Pick<ThreadReading, 'threads' | 'wallMs'> {
  const ours = threads.filter(({ role }) => javascriptRoles.has(role));
  const busiest = max([0, ...ours.map(({ cpuMs }) => cpuMs)]);
  const measuring = ours.find(({ cpuMs }) => cpuMs === busiest);
  const without = Math.min(referenceMs, busiest);
  return {
    wallMs: wallMs - without,
    threads: threads.map((one) =>
      one === measuring ? { ...one, cpuMs: one.cpuMs - without } : one,
    ),
  };
}

function cpuOf(threads: readonly ThreadTotal[]): number {
  return sum(threads.map((thread) => thread.cpuMs));
}

/** Equal slices of a window, from its beginning. */
interface Slices {
  readonly count: number;
  readonly ms: number;
}

/** Returns how much a cumulative quantity grew in each slice. */
type SpentOf<S> = (of: (sample: S) => number) => readonly number[];

/**
 * Divides cumulative samples into slices. Between two samples a quantity grows evenly; before the
 * first and after the last it stands still. The ends of the slices are looked up once for all
 * quantities.
 */
export function spentInSlices<S extends { readonly atMs: number }>(
  samples: readonly S[],
  { count, ms }: Slices,
): SpentOf<S> {
  const ends = Array.from({ length: count + 1 }, (_, slice) => neighboursAt(samples, slice * ms));
  return (of) => {
    const reached = ends.map((place) => {
      if (place === null) return 0;
      const [left, right] = [of(place.left), of(place.right)];
      return left + place.share * (right - left);
    });
    return reached.slice(1).map((value, slice) => value - (reached[slice] ?? 0));
  };
}

/** A place between two samples, as a share of the way from left to right. */
interface Place<S> {
  readonly left: S;
  readonly right: S;
  readonly share: number;
}

function neighboursAt<S extends { readonly atMs: number }>(
  samples: readonly S[],
  atMs: number,
): Place<S> | null {
  const after = samples.findIndex((one) => one.atMs >= atMs);
  const right = samples[after === -1 ? samples.length - 1 : after];
  const left = samples[after - 1];
  if (right === undefined) return null;
  if (after === -1 || left === undefined) return { left: right, right, share: 0 };
  return { left, right, share: (atMs - left.atMs) / (right.atMs - left.atMs) };
}

/** The order in which roles are stacked, from the bottom: what the page asked for comes first. */
const stackingOrder: readonly ThreadRole[] = [
  'js-main',
  'js-worker',
  'gc',
  'jit',
  'compositor',
  'io',
  'other',
];

const fewestSlices = 2;

/**
 * Returns the CPU by role in equal slices of the window, from cumulative samples. The unit is
 * cores: a role that had one core to itself has 1. There are no more slices than steps between
 * samples, because a finer slice would only repeat the one before. Null if that leaves fewer than
 * two.
 *
 * A role may exceed what its threads could have used in one slice: the kernel adds up a running
 * thread's time at its next tick or switch, up to 10 ms late.
 */
export function roleTimeline({ timeline }: Pick<ThreadReading, 'timeline'>): RoleTimeline | null {
  const samples = fromZero(timeline);
  const endMs = samples.at(-1)?.atMs ?? 0;
  const slices = Math.min(mostSlices, samples.length - 1);
  if (slices < fewestSlices || endMs <= 0) return null;
  const sliceMs = endMs / slices;
  const spentOf = spentInSlices(samples, { count: slices, ms: sliceMs });
  const total = (role: ThreadRole): number => samples.at(-1)?.cpuMs[role] ?? 0;
  const roles = stackingOrder
    .filter((role) => total(role) > 0)
    .map((role) => ({
      role,
      busy: spentOf((sample) => sample.cpuMs[role] ?? 0).map((ms) => Math.max(0, ms / sliceMs)),
    }));
  return { sliceMs, roles };
}

/** Adds a sample of zeros at the beginning of the window. */
function fromZero(samples: readonly RoleSample[]): readonly RoleSample[] {
  const [first] = samples;
  return first === undefined || first.atMs <= 0 ? samples : [{ atMs: 0, cpuMs: {} }, ...samples];
}
