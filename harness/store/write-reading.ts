import {
  isDeclaredProbe,
  type BuiltInReading,
  type CoreReading,
  type EnvironmentReading,
  type PhoneFacts,
  type Reading,
  type ScheduleReading,
  type ThreadReading,
  type TraceReading,
} from '../model/reading.ts';
import type { Value } from './connection.ts';
import { oneRow, type TableRows } from './insert.ts';

interface ReadingPlace {
  readonly trial: number;
  /** Order in which the probes gave their readings, from 0. */
  readonly position: number;
}

/** Makes the rows of what one probe gave for one trial. Pure. */
export function rowsOfReading(place: ReadingPlace, reading: Reading): readonly TableRows[] {
  if (isDeclaredProbe(reading.probe)) return [rowOfDeclared(place, reading)];
  const { trial, position } = place;
  const supported = 'notSupported' in reading || 'values' in reading ? null : reading;
  const probe = oneRow('probe_reading', {
    trial_id: trial,
    probe: reading.probe,
    position,
    not_supported: 'notSupported' in reading ? reading.notSupported : null,
    wall_ms: supported !== null && 'wallMs' in supported ? supported.wallMs : null,
    cost_ms: supported?.costMs ?? null,
  });
  return supported === null ? [probe] : [probe, ...rowsOfDetails(trial, supported)];
}

/** Makes the row of a declared probe. */
function rowOfDeclared({ trial, position }: ReadingPlace, reading: Reading): TableRows {
  const given = 'values' in reading ? reading : null;
  return oneRow('declared_reading', {
    trial_id: trial,
    probe: reading.probe,
    position,
    not_supported: 'notSupported' in reading ? reading.notSupported : null,
    cost_ms: given?.costMs ?? null,
    document: given === null ? null : JSON.stringify(given.values),
  });
}

function rowsOfDetails(trial: number, reading: BuiltInReading): readonly TableRows[] {
  switch (reading.probe) {
    case 'cpu-core':
      return [rowOfCores(trial, reading)];
    case 'cpu-thread':
      return rowsOfThreads(trial, reading);
    case 'environment':
      return rowsOfEnvironment(trial, reading);
    case 'sched':
      return [rowOfSchedule(trial, reading)];
    case 'trace':
      return [rowOfTrace(trial, reading)];
  }
}

/** One text and not a row per snapshot: a timeline is only ever read as a whole. */
function rowOfCores(trial: number, { intervalMs, snapshots }: CoreReading): TableRows {
  return oneRow('core_reading', {
    trial_id: trial,
    interval_ms: intervalMs,
    snapshots: JSON.stringify(snapshots.map((one) => [one.atMs, one.busyMs, one.stealMs])),
  });
}

const threadColumns = 'trial_id, position, pid, tid, process, name, role, cpu_ms, last_core'.split(
  ', ',
);

function rowsOfThreads(trial: number, { threads, timeline }: ThreadReading): readonly TableRows[] {
  const values = threads.flatMap((thread, position): Value[] => {
    const { pid, tid, process, name, role, cpuMs, lastCore } = thread;
    return [trial, position, pid, tid, process, name, role, cpuMs, lastCore];
  });
  const rows: TableRows = { table: 'thread_reading', columns: threadColumns, values };
  // A window may be too short for a timeline; then it has no row.
  if (timeline.length === 0) return [rows];
  const samples = JSON.stringify(timeline.map(({ atMs, cpuMs }) => [atMs, cpuMs]));
  return [rows, oneRow('role_timeline', { trial_id: trial, samples })];
}

function rowsOfEnvironment(trial: number, reading: EnvironmentReading): readonly TableRows[] {
  const row = oneRow('environment_reading', {
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
  return reading.phone === undefined ? [row] : [row, rowOfPhone(trial, reading.phone)];
}

function rowOfPhone(trial: number, phone: PhoneFacts): TableRows {
  return oneRow('phone_reading', {
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
function rowOfSchedule(
  trial: number,
  { coresBusy, lostEvents, cores }: ScheduleReading,
): TableRows {
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
  return oneRow('schedule_reading', {
    trial_id: trial,
    cores_busy: coresBusy,
    lost_events: lostEvents,
    threads: `[${[...threads.keys()].join(',')}]`,
    cores: JSON.stringify(lanes),
  });
}

function rowOfTrace(trial: number, { file, format }: TraceReading): TableRows {
  return oneRow('trace_reading', { trial_id: trial, file, format });
}
