import type {
  CoreReading,
  EnvironmentReading,
  PhoneFacts,
  Reading,
  ScheduleReading,
  ThreadReading,
  TraceReading,
} from '../model/reading.ts';
import type { Connection } from './connection.ts';
import { insertOneRow, insertRows } from './insert.ts';

export interface ReadingPlace {
  readonly trial: number;
  /** Order in which the probes gave their readings, from 0. */
  readonly position: number;
}

/** Stores what one probe gave for one trial, inside the trial's transaction. */
export async function insertReading(
  connection: Connection,
  { trial, position }: ReadingPlace,
  reading: Reading,
): Promise<void> {
  const supported = 'notSupported' in reading ? null : reading;
  await insertOneRow(connection, 'probe_reading', {
    trial_id: trial,
    probe: reading.probe,
    position,
    not_supported: 'notSupported' in reading ? reading.notSupported : null,
    wall_ms: supported !== null && 'wallMs' in supported ? supported.wallMs : null,
    cost_ms: supported?.costMs ?? null,
  });
  if (supported !== null) await insertDetails(connection, trial, supported);
}

type SupportedReading = Exclude<Reading, { readonly notSupported: string }>;

function insertDetails(
  connection: Connection,
  trial: number,
  reading: SupportedReading,
): Promise<void> {
  switch (reading.probe) {
    case 'cpu-core':
      return insertCores(connection, trial, reading);
    case 'cpu-thread':
      return insertThreads(connection, trial, reading);
    case 'environment':
      return insertEnvironment(connection, trial, reading);
    case 'sched':
      return insertSchedule(connection, trial, reading);
    case 'trace':
      return insertTrace(connection, trial, reading);
  }
}

/** One text and not a row per snapshot: a timeline is only ever read as a whole. */
function insertCores(
  connection: Connection,
  trial: number,
  { intervalMs, snapshots }: CoreReading,
): Promise<void> {
  return insertOneRow(connection, 'core_reading', {
    trial_id: trial,
    interval_ms: intervalMs,
    snapshots: JSON.stringify(snapshots.map((one) => [one.atMs, one.busyMs, one.stealMs])),
  });
}

async function insertThreads(
  connection: Connection,
  trial: number,
  { threads, timeline }: ThreadReading,
): Promise<void> {
  const columns = [
    ...['trial_id', 'position', 'pid', 'tid', 'process'],
    ...['name', 'role', 'cpu_ms', 'last_core'],
  ];
  await insertRows(
    connection,
    { table: 'thread_reading', columns },
    threads.map((thread, position) => [
      ...[trial, position, thread.pid, thread.tid, thread.process],
      ...[thread.name, thread.role, thread.cpuMs, thread.lastCore],
    ]),
  );
  // The table holds timelines that there are: a window may be too short for one.
  if (timeline.length === 0) return;
  await insertOneRow(connection, 'role_timeline', {
    trial_id: trial,
    samples: JSON.stringify(timeline.map(({ atMs, cpuMs }) => [atMs, cpuMs])),
  });
}

async function insertEnvironment(
  connection: Connection,
  trial: number,
  reading: EnvironmentReading,
): Promise<void> {
  await insertOneRow(connection, 'environment_reading', {
    trial_id: trial,
    load1: reading.load1,
    cpu_pressure: reading.cpuPressure,
    free_memory_bytes: reading.freeMemoryBytes,
    governor: reading.governor,
    frequency_mhz: reading.frequencyMhz,
    foreign_share: reading.foreignShare,
    steal_share: reading.stealShare,
    throttle_events: reading.throttleEvents,
  });
  if (reading.phone !== undefined) await insertPhone(connection, trial, reading.phone);
}

function insertPhone(connection: Connection, trial: number, phone: PhoneFacts): Promise<void> {
  return insertOneRow(connection, 'phone_reading', {
    trial_id: trial,
    clock_offset_ms: phone.clockOffsetMs,
    clock_error_ms: phone.clockErrorMs,
    battery_percent: phone.batteryPercent,
    powered: phone.powered === null ? null : Number(phone.powered),
    battery_celsius: phone.batteryCelsius,
    thermal_status: phone.thermalStatus,
  });
}

/** Each thread is named once; its many slices point to it, which makes them a third as long. */
function insertSchedule(
  connection: Connection,
  trial: number,
  { coresBusy, lostEvents, cores }: ScheduleReading,
): Promise<void> {
  const threads = new Map<string, number>();
  const indexOf = (thread: string): number => {
    const known = threads.get(thread) ?? threads.size;
    threads.set(thread, known);
    return known;
  };
  const lanes = cores.map((slices) =>
    slices.map(({ fromMs, toMs, tid, thread, role }) => [
      ...[fromMs, toMs],
      indexOf(JSON.stringify([tid, thread, role])),
    ]),
  );
  return insertOneRow(connection, 'schedule_reading', {
    trial_id: trial,
    cores_busy: coresBusy,
    lost_events: lostEvents,
    threads: `[${[...threads.keys()].join(',')}]`,
    cores: JSON.stringify(lanes),
  });
}

function insertTrace(
  connection: Connection,
  trial: number,
  { file, format }: TraceReading,
): Promise<void> {
  return insertOneRow(connection, 'trace_reading', { trial_id: trial, file, format });
}
