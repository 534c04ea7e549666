import type { Neighbour } from '../model/reading.ts';
import { parseCmdline } from '../procfs.ts';
import type { SystemFiles } from '../system-files.ts';
import { processName } from './processes.ts';
import { type ProcessTimes, readProcessTimes, usageBetween } from './process-times.ts';

/** A smaller user of the CPU does not disturb, and a longer list of names does not help. */
const fewestShare = 0.02;
const mostNamed = 3;

/** CPU times of every process of this machine: one small read for each, some milliseconds for 200. */
export function readAllTimes(files: SystemFiles): ProcessTimes {
  const pids = files.list('/proc').filter((name) => /^\d+$/.test(name));
  return readProcessTimes(files, pids.map(Number));
}

interface EarlierLook {
  readonly before: ProcessTimes;
  /** Ticks after boot at that look: a process that began later is counted from 0. */
  readonly startTick: number;
  /** Ticks that all cores together had since then. */
  readonly capacityTicks: number;
  /** Pids that are left out: the session's; the farm itself never is. */
  readonly own: readonly number[];
}

/** The programs that used most of the CPU since a look at all processes, the greediest first. */
export function neighboursSince(seen: EarlierLook, files: SystemFiles): readonly Neighbour[] {
  const own = new Set([...seen.own, process.pid]);
  const byName = new Map<string, { processes: number; ticks: number }>();
  const after = readAllTimes(files);
  const window = { before: seen.before, after, startTick: seen.startTick };
  // Without the children that ended: a parent takes over the time of their whole lives, and of theirs.
  for (const { pid, ownTicks: ticks } of usageBetween(window)) {
    if (ticks === 0 || own.has(pid)) continue;
    const name = nameOf(pid, after, files);
    const { processes, ticks: others } = byName.get(name) ?? { processes: 0, ticks: 0 };
    byName.set(name, { processes: processes + 1, ticks: others + ticks });
  }
  return Array.from(byName, ([name, { processes, ticks }]) => ({
    name,
    processes,
    share: ticks / seen.capacityTicks,
  }))
    .filter(({ share }) => share >= fewestShare)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, mostNamed);
}

/** Its program's; threads of the kernel have none, and are called as the kernel calls them. */
function nameOf(pid: number, times: ProcessTimes, files: SystemFiles): string {
  const argv = parseCmdline(files.read(`/proc/${String(pid)}/cmdline`) ?? '');
  return argv.length === 0 ? (times.get(pid)?.name ?? 'unknown') : processName(null, argv);
}
