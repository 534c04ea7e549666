import { max, median, min, sum } from 'simple-statistics';
import type {
  CoreTimeline,
  CpuFacts,
  ProbeFacts,
  ProbeValue,
  ScheduleFacts,
  ThreadSummary,
  TraceFacts,
} from '../../reports/findings.ts';
import {
  isDeclaredProbe,
  type CoreReading,
  type DeclaredValue,
  type NotSupported,
  type ProbeName,
  type Reading,
  type ScheduleReading,
  type ThreadReading,
  type ThreadRole,
  type ThreadTotal,
  type TraceReading,
} from '../model/reading.ts';
import type { Series, TrialValue } from './series.ts';
import { groupBy } from './grouping.ts';
import { roleTimeline, spentInSlices } from './timeline.ts';

/** CPU of each case × target, drawn from the trial whose value is nearest to the median. */
export function makeCpuFacts(series: readonly Series[]): readonly CpuFacts[] {
  return series
    .filter((one) => one.metric === one.case.benchmark.metrics[0])
    .flatMap((one) => {
      const chosen = typicalTrial(one.values);
      return chosen === null ? [] : cpuFactsOf(one, chosen);
    });
}

/** The trial whose value is nearest to the series' median; the earlier one of two. */
function typicalTrial(values: readonly TrialValue[]): TrialValue | null {
  if (values.length === 0) return null;
  const middle = median(values.map((one) => one.value));
  const distance = (one: TrialValue): number => Math.abs(one.value - middle);
  return values.reduce((best, one) => (distance(one) < distance(best) ? one : best));
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
      threads: describe(threads, summarizeThreads) ?? probeOff,
      foreignShare: foreignShareOf(findReading(readings, 'environment')),
      // Opt-in: who did not ask for them is not told that they were off.
      ...optional('schedule', describe(schedule, scheduleFacts)),
      ...optional('trace', describe(trace, traceFacts)),
      ...optional('others', others.length === 0 ? null : others),
    },
  ];
}

interface Unsupported {
  readonly notSupported: string;
}

const probeOff: Unsupported = { notSupported: 'the probe was off' };

/** What a reading says, or why the probe could not; null when there is none. */
function describe<R extends Reading, S>(
  reading: R | NotSupported | null,
  facts: (reading: R) => S,
): S | Unsupported | null {
  if (reading === null) return null;
  return isUnsupported(reading) ? { notSupported: reading.notSupported } : facts(reading);
}

export function isUnsupported(reading: Reading): reading is NotSupported {
  return 'notSupported' in reading;
}

function optional<K extends string, V>(key: K, value: V | null): { readonly [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

type Named<N extends ProbeName> = Extract<Reading, { probe: N }>;

/** What one probe gave for a trial, or why it could not; null when it did not watch. */
export function findReading<N extends ProbeName>(
  readings: readonly Reading[],
  name: N,
): Named<N> | null {
  return (readings.find((one) => one.probe === name) as Named<N> | undefined) ?? null;
}

function wallOf(reading: { readonly wallMs?: number } | null): number | null {
  return reading?.wallMs ?? null;
}

function foreignShareOf(reading: Named<'environment'> | null): number | null {
  return reading === null || isUnsupported(reading) ? null : reading.foreignShare;
}

/** Thread ids are left behind: within a report a thread's name says more. */
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
  if ('values' in reading) return [{ probe, values: Object.values(reading.values).map(toValue) }];
  if (!isDeclaredProbe(probe) || !isUnsupported(reading)) return [];
  return [{ probe, notSupported: reading.notSupported }];
}

/** A report shows the bounds of a list. */
function toValue({ title, unit, value }: DeclaredValue): ProbeValue {
  if (value === null || typeof value !== 'object') return { title, unit, value };
  const bounds = value.length === 0 ? null : ([min([...value]), max([...value])] as const);
  return { title, unit, value: bounds };
}

/** The kernel counts in ticks of 10 ms, so a slice shorter than a few of them would show its rounding. */
const shortestSliceMs = 50;
const mostSlices = 48;

/** Busy share of each core in equal slices of the window, from cumulative snapshots. */
export function coreTimeline(reading: CoreReading): CoreTimeline {
  const slices = Math.max(1, Math.min(mostSlices, Math.floor(reading.wallMs / shortestSliceMs)));
  const sliceMs = reading.wallMs / slices;
  const cores = reading.snapshots[0]?.busyMs.length ?? 0;
  const spentOf = spentInSlices(reading.snapshots, { count: slices, ms: sliceMs });
  const busy = Array.from({ length: cores }, (_, core) =>
    spentOf(({ busyMs }) => busyMs[core] ?? 0).map((ms) => Math.min(1, Math.max(0, ms / sliceMs))),
  );
  return { sliceMs, busy, costShare: reading.wallMs > 0 ? reading.costMs / reading.wallMs : 0 };
}

const javascriptRoles: ReadonlySet<ThreadRole> = new Set(['js-main', 'js-worker']);
const mostThreads = 12;

/** Who used the CPU: cores busy = Σ thread time / wall; JavaScript parallelism = Σ js time / wall. */
export function summarizeThreads(reading: ThreadReading): ThreadSummary {
  const { threads, wallMs } = reading;
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

function cpuOf(threads: readonly ThreadTotal[]): number {
  return sum(threads.map((thread) => thread.cpuMs));
}
