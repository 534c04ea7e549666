import type { RunRecord } from '../model/run.ts';
import { targetIdIn } from './run-labels.ts';

/** What of a run is wanted; all of it where a list is empty. */
export interface Part {
  /** Devices by their id, or by id and run: `firefox@3`. */
  readonly devices: readonly string[];
  /** Benchmarks by their id. */
  readonly benchmarks: readonly string[];
}

/** The run as if nothing else had been planned. A run of which nothing is wanted is left without cells. */
export function partOf(record: RunRecord, { devices, benchmarks }: Part): RunRecord {
  const isDevice = (id: string): boolean =>
    devices.length === 0 || devices.includes(id) || devices.includes(targetIdIn(record.run.id, id));
  const isWanted = ({ deviceId, case: one }: RunRecord['jobs'][number]): boolean =>
    isDevice(deviceId) && (benchmarks.length === 0 || benchmarks.includes(one.benchmark.id));
  return {
    ...record,
    presences: record.presences.filter(({ device }) => isDevice(device.id)),
    jobs: record.jobs.filter(isWanted),
    trials: record.trials.filter(({ job }) => isWanted(job)),
  };
}

/** Every name that `partOf` knows in these runs. */
export function namesIn(records: readonly RunRecord[]): Part {
  const devices = records.flatMap(({ run, presences }) =>
    presences.flatMap(({ device }) => [device.id, targetIdIn(run.id, device.id)]),
  );
  const benchmarks = records.flatMap(({ jobs }) => jobs.map((job) => job.case.benchmark.id));
  return { devices: [...new Set(devices)], benchmarks: [...new Set(benchmarks)] };
}
