import type { TargetFacts } from '../../results/index.ts';
import type { Benchmark } from '../../model/case.ts';
import type { Device } from '../../model/device.ts';
import type { Job } from '../../model/plan.ts';
import type { RunRecord } from '../../model/run.ts';
import { targetFacts } from '../facts.ts';
import { labelBenchmark } from '../repeat-command.ts';
import { listCases } from '../series.ts';

/** A device in one run: it has a column, a line and a colour in a report of several runs. */
export interface LabelledTarget {
  readonly facts: TargetFacts;
  readonly run: number;
  readonly device: Device;
}

/**
 * A run with unique names of its devices, and of benchmarks of which the runs had several versions.
 */
export interface LabelledRun {
  readonly record: RunRecord;
  readonly targets: readonly LabelledTarget[];
}

/** Returns the id of a device in a run: `firefox@3`. */
export function targetIdIn(run: number, deviceId: string): string {
  return `${deviceId}@${String(run)}`;
}

/**
 * Labels several runs for a common report: nothing of two runs has the same name, so nothing of
 * them is pooled, and results of two versions of a benchmark stay apart.
 */
export function labelRuns(records: readonly RunRecord[]): readonly LabelledRun[] {
  const nameIn = namesOf(records);
  const labelled = benchmarkLabels(records);
  return records.map((record) => {
    const run = record.run.id;
    const device = (one: Device): Device => ({
      ...one,
      id: targetIdIn(run, one.id),
      name: nameIn(record, one.id),
    });
    const job = (one: Job): Job => ({
      ...one,
      deviceId: targetIdIn(run, one.deviceId),
      case: { ...one.case, benchmark: labelled(one.case.benchmark) },
    });
    const presences = record.presences.map((one) =>
      one.status === 'missing'
        ? { ...one, device: device(one.device) }
        : {
            ...one,
            device: device(one.device),
            target: { ...one.target, device: device(one.target.device) },
          },
    );
    const trials = record.trials.map((one) => ({ ...one, job: job(one.job) }));
    const jobs = record.jobs.map(job);
    const targets = presences.map((one, index) => ({
      facts: { ...targetFacts(one, { jobs, trials }), run },
      run,
      device: record.presences[index]?.device ?? one.device,
    }));
    return { record: { ...record, presences, trials, jobs }, targets };
  });
}

type NameIn = (record: RunRecord, deviceId: string) => string;

/**
 * Names devices as in `Firefox 153.0, run 5`: with the build and the driver if these differ between
 * the runs.
 */
function namesOf(records: readonly RunRecord[]): NameIn {
  const presencesOf = (id: string) =>
    records.flatMap(({ presences }) => presences.filter(({ device }) => device.id === id));
  const differ = (id: string, of: (presence: Presence) => string): boolean =>
    new Set(presencesOf(id).map(of)).size > 1;
  return ({ run, presences }, id) => {
    const presence = presences.find(({ device }) => device.id === id);
    if (presence === undefined) return id;
    const version = differ(id, versionOf) ? ` ${versionOf(presence)}` : '';
    const driver = differ(id, driverOf) ? `, ${driverOf(presence)}` : '';
    return `${presence.device.name}${version}${driver}, run ${String(run.id)}`;
  };
}

type Presence = RunRecord['presences'][number];

function versionOf(presence: Presence): string {
  return presence.status === 'found' ? presence.target.browser.version : 'missing';
}

function driverOf({ device }: Presence): string {
  return device.driver;
}

/** Adds the version to the id of a benchmark of which the runs had two. */
function benchmarkLabels(records: readonly RunRecord[]): (benchmark: Benchmark) => Benchmark {
  const split = new Set(
    versionsByBenchmark(records)
      .filter(({ versions }) => versions.size > 1)
      .map(({ id }) => id),
  );
  const made = new Map<Benchmark, Benchmark>();
  return (benchmark) => {
    if (!split.has(benchmark.id)) return benchmark;
    const label = made.get(benchmark) ?? { ...benchmark, id: labelBenchmark(benchmark) };
    made.set(benchmark, label);
    return label;
  };
}

/** Returns the versions of every benchmark, each with its runs. */
export function versionsByBenchmark(
  records: readonly RunRecord[],
): readonly { readonly id: string; readonly versions: ReadonlyMap<number, readonly number[]> }[] {
  const seen = new Map<string, Map<number, number[]>>();
  for (const record of records) {
    const benchmarks = new Set(listCases(record).map(({ benchmark }) => benchmark));
    for (const { id, version } of benchmarks) {
      const versions = seen.get(id) ?? new Map<number, number[]>();
      const runs = versions.get(version) ?? [];
      if (!runs.includes(record.run.id)) runs.push(record.run.id);
      versions.set(version, runs);
      seen.set(id, versions);
    }
  }
  return [...seen].map(([id, versions]) => ({ id, versions }));
}

/** The chosen part of a run; an empty list chooses all. */
export interface Part {
  /** Devices by their id, or by id and run: `firefox@3`. */
  readonly devices: readonly string[];
  /** Benchmarks by their id. */
  readonly benchmarks: readonly string[];
}

/** Returns the run as if nothing else had been planned; without cells if nothing is chosen. */
export function selectPart(record: RunRecord, { devices, benchmarks }: Part): RunRecord {
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

/** Lists every name that `selectPart` knows in these runs. */
export function namesIn(records: readonly RunRecord[]): Part {
  const devices = records.flatMap(({ run, presences }) =>
    presences.flatMap(({ device }) => [device.id, targetIdIn(run.id, device.id)]),
  );
  const benchmarks = records.flatMap(({ jobs }) => jobs.map((job) => job.case.benchmark.id));
  return { devices: [...new Set(devices)], benchmarks: [...new Set(benchmarks)] };
}
