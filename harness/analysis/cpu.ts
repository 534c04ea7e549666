import { median, sum } from 'simple-statistics';
import type { CoreTimeline, CpuFacts, ThreadSummary } from '../../reports/findings.ts';
import type {
  CoreReading,
  CoreSnapshot,
  NotSupported,
  Reading,
  ThreadReading,
  ThreadRole,
  ThreadTotal,
} from '../model/reading.ts';
import type { Series, TrialValue } from './series.ts';
import { groupBy } from './grouping.ts';

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
export function typicalTrial(values: readonly TrialValue[]): TrialValue | null {
  if (values.length === 0) return null;
  const middle = median(values.map((one) => one.value));
  const distance = (one: TrialValue): number => Math.abs(one.value - middle);
  return values.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

function cpuFactsOf(series: Series, { trial, block }: TrialValue): readonly CpuFacts[] {
  const { readings } = trial.outcome;
  const cores = findReading(readings, 'cpu-core');
  const threads = findReading(readings, 'cpu-thread');
  if (cores === null && threads === null) return [];
  return [
    {
      caseName: series.caseName,
      targetId: series.deviceId,
      block,
      wallMs: wallOf(cores) ?? wallOf(threads) ?? 0,
      cores: supportedOr(cores, coreTimeline),
      threads: supportedOr(threads, summarizeThreads),
      foreignShare: null,
    },
  ];
}

/** What a reading says, or the reason why there is none. */
function supportedOr<R extends CoreReading | ThreadReading, S>(
  reading: R | NotSupported | null,
  describe: (reading: R) => S,
): S | { readonly notSupported: string } {
  if (reading === null) return { notSupported: 'the probe was off' };
  return 'notSupported' in reading ? { notSupported: reading.notSupported } : describe(reading);
}

type Named<N extends Reading['probe']> = Extract<Reading, { probe: N }>;

function findReading<N extends 'cpu-core' | 'cpu-thread'>(
  readings: readonly Reading[],
  name: N,
): Named<N> | null {
  return (readings.find((one) => one.probe === name) as Named<N> | undefined) ?? null;
}

function wallOf(
  reading: CoreReading | ThreadReading | { notSupported: string } | null,
): number | null {
  return reading !== null && 'wallMs' in reading ? reading.wallMs : null;
}

/** The kernel counts in ticks of 10 ms, so a slice shorter than a few of them would show its rounding. */
const shortestSliceMs = 50;
const mostSlices = 48;

/** Busy share of each core in equal slices of the window, from cumulative snapshots. */
export function coreTimeline(reading: CoreReading): CoreTimeline {
  const slices = Math.max(1, Math.min(mostSlices, Math.floor(reading.wallMs / shortestSliceMs)));
  const sliceMs = reading.wallMs / slices;
  const cores = reading.snapshots[0]?.busyMs.length ?? 0;
  const busy = Array.from({ length: cores }, (_, core) =>
    Array.from({ length: slices }, (_, slice) => {
      const spent =
        busyAt(reading.snapshots, core, (slice + 1) * sliceMs) -
        busyAt(reading.snapshots, core, slice * sliceMs);
      return Math.min(1, Math.max(0, spent / sliceMs));
    }),
  );
  return { sliceMs, busy, costShare: reading.wallMs > 0 ? reading.costMs / reading.wallMs : 0 };
}

/** Cumulative busy time of a core at an instant, linear between snapshots. */
function busyAt(snapshots: readonly CoreSnapshot[], core: number, atMs: number): number {
  const after = snapshots.findIndex((one) => one.atMs >= atMs);
  const right = snapshots[after === -1 ? snapshots.length - 1 : after];
  const left = snapshots[after <= 0 ? 0 : after - 1];
  const rightBusy = right?.busyMs[core] ?? 0;
  const leftBusy = left?.busyMs[core] ?? 0;
  if (right === undefined || left === undefined || right.atMs <= left.atMs) return rightBusy;
  if (after === -1) return rightBusy;
  const share = (atMs - left.atMs) / (right.atMs - left.atMs);
  return leftBusy + share * (rightBusy - leftBusy);
}

const javascriptRoles: ReadonlySet<ThreadRole> = new Set(['js-main', 'js-worker']);
const mostThreads = 12;

/** Who used the CPU: cores busy = Σ thread time / wall; JavaScript parallelism = Σ js time / wall. */
export function summarizeThreads({ threads, wallMs }: ThreadReading): ThreadSummary {
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
    timeline: null,
  };
}

function cpuOf(threads: readonly ThreadTotal[]): number {
  return sum(threads.map((thread) => thread.cpuMs));
}
