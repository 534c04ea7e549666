import { type CoreTicks, parsePidStat, parseSchedstat, parseStat } from '../../../core/procfs.ts';
import { type ProcessTimes, readProcessTimes } from '../../../core/probes/process-times.ts';
import type { SystemFiles } from '../../../core/system-files.ts';
import type { Frame } from './frame.ts';

/** Numbers read on another machine around one timed window. */
export interface NodeWindow {
  /** While the page warmed up. */
  readonly before: Frame;
  /** From the window's start to its end, in order; at least two. */
  readonly samples: readonly NodeSample[];
  /** Right after the end: what threads and processes are called. */
  readonly after: Frame;
  readonly ticksPerSecond: number;
}

/** One look into the window. */
export interface NodeSample {
  /** On this machine's `performance.now()`, within ± `errorMs`. */
  readonly atMs: number;
  readonly errorMs: number;
  readonly cores: readonly CoreTicks[];
  readonly threads: readonly ThreadCounter[];
  readonly processes: ProcessTimes;
  /** Time of the process that reads, with that of its children, in ticks. */
  readonly readerTicks: number;
}

export interface ThreadCounter {
  readonly pid: number;
  readonly tid: number;
  readonly onCpuNs: number;
}

export function toSample(frame: Frame, pids: readonly number[]): NodeSample {
  const { atMs, errorMs, files, reader } = frame;
  const own = readProcessTimes(files, [reader]).get(reader);
  return {
    atMs,
    errorMs,
    cores: parseStat(files.read('/proc/stat') ?? ''),
    threads: pids.flatMap((pid) => countThreads(files, pid)),
    processes: readProcessTimes(files, pids),
    readerTicks: own === undefined ? 0 : own.ownTicks + own.childTicks,
  };
}

function countThreads(files: SystemFiles, pid: number): readonly ThreadCounter[] {
  const folder = `/proc/${String(pid)}/task`;
  return files.list(folder).flatMap((tid) => {
    const text = files.read(`${folder}/${tid}/schedstat`);
    if (text === null) return [];
    return [{ pid, tid: Number(tid), onCpuNs: parseSchedstat(text).onCpuNs }];
  });
}

/** Every process that a frame has. */
export function parseProcesses({ files }: Frame): ProcessTimes {
  const times = files
    .list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => parsePidStat(files.read(`/proc/${pid}/stat`) ?? '') ?? []);
  return new Map(times.map((stat) => [stat.pid, stat]));
}
