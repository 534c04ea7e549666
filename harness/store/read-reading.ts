import type {
  BuiltInProbe,
  CoreReading,
  DeclaredProbe,
  DeclaredReading,
  EnvironmentReading,
  PhoneFacts,
  Reading,
  RoleSample,
  ScheduleReading,
  ScheduleSlice,
  ThreadReading,
  ThreadRole,
  ThreadTotal,
  TraceFormat,
  TraceReading,
} from '../model/reading.ts';
import type { Connection } from './connection.ts';
import { exactNumber, groupRows, trialsOfRun } from './rows.ts';

interface ProbeRow {
  readonly trial_id: number;
  readonly probe: BuiltInProbe;
  readonly position: number;
  readonly not_supported: string | null;
  readonly wall_ms: number;
  readonly cost_ms: number;
}

interface DeclaredRow {
  readonly trial_id: number;
  readonly probe: DeclaredProbe;
  readonly position: number;
  readonly not_supported: string | null;
  readonly cost_ms: number;
  readonly document: string;
}

interface CoreRow {
  readonly trial_id: number;
  readonly interval_ms: number;
  readonly snapshots: string;
}

/** All threads of a trial, as `threadsOf` gives them. */
interface ThreadsRow {
  readonly trial_id: number;
  readonly threads: string;
}

interface EnvironmentRow {
  readonly trial_id: number;
  readonly load1: number | null;
  readonly cpu_pressure: number | null;
  readonly free_memory_bytes: number | null;
  readonly governor: string | null;
  readonly frequency_mhz: number | null;
  readonly foreign_share: number | null;
  readonly steal_share: number | null;
  readonly throttle_events: number | null;
}

interface PhoneRow {
  readonly trial_id: number;
  readonly clock_offset_ms: number;
  readonly clock_error_ms: number;
  readonly battery_percent: number | null;
  readonly powered: 0 | 1 | null;
  readonly battery_celsius: number | null;
  readonly thermal_status: number | null;
}

interface TimelineRow {
  readonly trial_id: number;
  readonly samples: string;
}

interface ScheduleRow {
  readonly trial_id: number;
  readonly cores_busy: number;
  readonly lost_events: number;
  readonly threads: string;
  readonly cores: string;
}

interface TraceRow {
  readonly trial_id: number;
  readonly file: string;
  readonly format: TraceFormat;
}

type Of<Row> = (trial: number) => readonly Row[];

interface Details {
  readonly cores: Of<CoreRow>;
  readonly threads: Of<ThreadsRow>;
  readonly timelines: Of<TimelineRow>;
  readonly environments: Of<EnvironmentRow>;
  readonly phones: Of<PhoneRow>;
  readonly schedules: Of<ScheduleRow>;
  readonly traces: Of<TraceRow>;
}

/**
 * Reads what the probes gave for each trial of a run, in the order in which they gave it.
 * @param trials which ones, for `trial_id IN (…)`: takes the number instead of the run's.
 */
export async function selectReadings(
  connection: Connection,
  run: number,
  trials = trialsOfRun,
): Promise<Of<Reading>> {
  const select = async <Row extends { readonly trial_id: number }>(
    from: string,
    order: string,
  ): Promise<Of<Row>> =>
    groupRows(
      await connection.all<Row>(
        `SELECT * FROM ${from} WHERE trial_id IN (${trials}) ORDER BY ${order}`,
        [run],
      ),
      trialOf,
    );
  const probes = await select<ProbeRow>('probe_reading', 'position');
  const declared = await select<DeclaredRow>('declared_reading', 'position');
  const details: Details = {
    cores: await select<CoreRow>('core_reading', 'trial_id'),
    threads: groupRows(await connection.all<ThreadsRow>(threadsOf(trials), [run]), trialOf),
    timelines: await select<TimelineRow>('role_timeline', 'trial_id'),
    environments: await select<EnvironmentRow>('environment_reading', 'trial_id'),
    phones: await select<PhoneRow>('phone_reading', 'trial_id'),
    schedules: await select<ScheduleRow>('schedule_reading', 'trial_id'),
    traces: await select<TraceRow>('trace_reading', 'trial_id'),
  };
  return (trial) =>
    [...probes(trial), ...declared(trial)]
      .sort((one, other) => one.position - other.position)
      .map((row) => ('document' in row ? toDeclaredReading(row) : toReading(row, details)));
}

const trialOf = ({ trial_id }: { readonly trial_id: number }): number => trial_id;

function toReading(row: ProbeRow, details: Details): Reading {
  if (row.not_supported !== null) return { probe: row.probe, notSupported: row.not_supported };
  switch (row.probe) {
    case 'cpu-core':
      return toCoreReading(row, only(row, details.cores));
    case 'cpu-thread':
      return toThreadReading(row, details);
    case 'environment':
      return {
        ...toEnvironmentReading(row, only(row, details.environments)),
        ...toPhone(details.phones(row.trial_id)),
      };
    case 'sched':
      return toScheduleReading(row, only(row, details.schedules));
    case 'trace':
      return toTraceReading(row, only(row, details.traces));
  }
}

function toDeclaredReading({ probe, not_supported, cost_ms, document }: DeclaredRow): Reading {
  if (not_supported !== null) return { probe, notSupported: not_supported };
  return { probe, values: JSON.parse(document) as DeclaredReading['values'], costMs: cost_ms };
}

function only<Row>({ probe, trial_id }: ProbeRow, rowsOf: Of<Row>): Row {
  const [row] = rowsOf(trial_id);
  if (row === undefined)
    throw new Error(`The ${probe} reading of trial ${String(trial_id)} has no details`);
  return row;
}

function toCoreReading({ wall_ms, cost_ms }: ProbeRow, row: CoreRow): CoreReading {
  type Stored = readonly (readonly [number, readonly number[], readonly number[]])[];
  const snapshots = whenAsked(() =>
    (JSON.parse(row.snapshots) as Stored).map(([atMs, busyMs, stealMs]) => ({
      atMs,
      busyMs,
      stealMs,
    })),
  );
  return {
    probe: 'cpu-core',
    wallMs: wall_ms,
    intervalMs: row.interval_ms,
    get snapshots() {
      return snapshots();
    },
    costMs: cost_ms,
  };
}

/**
 * Makes a value at its first use. Timelines are by far the largest part of a run, and a report draws
 * that of one trial in many.
 */
function whenAsked<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

function toThreadReading(
  { trial_id, wall_ms, cost_ms }: ProbeRow,
  { threads, timelines }: Details,
): ThreadReading {
  type Stored = readonly (readonly [number, RoleSample['cpuMs']])[];
  const timeline = whenAsked(() =>
    timelines(trial_id)
      .flatMap((row) => JSON.parse(row.samples) as Stored)
      .map(([atMs, cpuMs]) => ({ atMs, cpuMs })),
  );
  const totals = whenAsked(() =>
    threads(trial_id)
      .flatMap((row) => JSON.parse(row.threads) as readonly StoredThread[])
      .map(toThreadTotal),
  );
  return {
    probe: 'cpu-thread',
    wallMs: wall_ms,
    get threads() {
      return totals();
    },
    get timeline() {
      return timeline();
    },
    costMs: cost_ms,
  };
}

type StoredThread = readonly [
  ...[pid: number, tid: number, process: string, name: string],
  ...[role: ThreadRole, cpuMs: string, lastCore: number | null],
];

/** A row for each trial: one for each thread would take five times as long to read. */
function threadsOf(trials: string): string {
  return `
    SELECT trial_id, json_group_array(json_array(pid, tid, process, name, role,
      ${exactNumber('cpu_ms')}, last_core) ORDER BY position) AS threads
    FROM thread_reading WHERE trial_id IN (${trials}) GROUP BY trial_id`;
}

function toThreadTotal(stored: StoredThread): ThreadTotal {
  const [pid, tid, process, name, role, cpuMs, lastCore] = stored;
  return { pid, tid, process, name, role, cpuMs: Number(cpuMs), lastCore };
}

function toEnvironmentReading({ cost_ms }: ProbeRow, row: EnvironmentRow): EnvironmentReading {
  return {
    probe: 'environment',
    load1: row.load1,
    cpuPressure: row.cpu_pressure,
    freeMemoryBytes: row.free_memory_bytes,
    governor: row.governor,
    frequencyMhz: row.frequency_mhz,
    foreignShare: row.foreign_share,
    stealShare: row.steal_share,
    throttleEvents: row.throttle_events,
    costMs: cost_ms,
  };
}

function toPhone([row]: readonly PhoneRow[]): { readonly phone?: PhoneFacts } {
  if (row === undefined) return {};
  return {
    phone: {
      clockOffsetMs: row.clock_offset_ms,
      clockErrorMs: row.clock_error_ms,
      batteryPercent: row.battery_percent,
      powered: row.powered === null ? null : row.powered === 1,
      batteryCelsius: row.battery_celsius,
      thermalStatus: row.thermal_status,
    },
  };
}

function toScheduleReading({ wall_ms, cost_ms }: ProbeRow, row: ScheduleRow): ScheduleReading {
  type StoredThread = readonly [number, string, ScheduleSlice['role']];
  const threads = JSON.parse(row.threads) as readonly StoredThread[];
  const cores = JSON.parse(row.cores) as readonly (readonly [number, number, number][])[];
  const threadOf = (index: number): Pick<ScheduleSlice, 'tid' | 'thread' | 'role'> => {
    const stored = threads[index];
    if (stored === undefined) throw new Error(`The schedule names no thread ${String(index)}`);
    const [tid, thread, role] = stored;
    return { role, thread, tid };
  };
  return {
    probe: 'sched',
    wallMs: wall_ms,
    costMs: cost_ms,
    coresBusy: row.cores_busy,
    cores: cores.map((slices) =>
      slices.map(([fromMs, toMs, index]) => ({ fromMs, toMs, ...threadOf(index) })),
    ),
    lostEvents: row.lost_events,
  };
}

function toTraceReading({ cost_ms }: ProbeRow, { file, format }: TraceRow): TraceReading {
  return { probe: 'trace', file, format, costMs: cost_ms };
}
