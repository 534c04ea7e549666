import { parsePidStat, parseUptime, type PidStat } from '../procfs.ts';
import type { SystemFiles } from '../system-files.ts';

/**
 * CPU time of whole processes, from /proc/<pid>/stat. The kernel keeps the time of threads that
 * have ended in their process, and that of children that have ended in the parent that waited for
 * them; this is the only place where either can still be seen. Values are whole ticks (10 ms).
 */
export type ProcessTimes = ReadonlyMap<number, PidStat>;

/** Leaves out processes that have ended. */
export function readProcessTimes(files: SystemFiles, pids: readonly number[]): ProcessTimes {
  const times = new Map<number, PidStat>();
  for (const pid of pids) {
    const stat = parsePidStat(files.read(`/proc/${String(pid)}/stat`) ?? '');
    if (stat !== null) times.set(pid, stat);
  }
  return times;
}

/** Now, in ticks after boot; if the kernel does not give it, no process counts as started later. */
export function readStartTick(files: SystemFiles, msPerTick: number): number {
  const seconds = parseUptime(files.read('/proc/uptime') ?? '');
  return seconds === null ? Number.POSITIVE_INFINITY : Math.floor((seconds * 1000) / msPerTick);
}

/** CPU time that a process which lived to the end used between two snapshots, in ticks. */
export interface ProcessUsage {
  readonly pid: number;
  /** Its own time, ended threads included. */
  readonly ownTicks: number;
  /**
   * Time of children that ended in between and that it waited for. A child's time before the first
   * snapshot is taken off; an unawaited child is lost.
   */
  readonly endedChildrenTicks: number;
}

export interface ProcessWindow {
  readonly before: ProcessTimes;
  readonly after: ProcessTimes;
  /** Ticks after boot at the first snapshot: a process that began later is counted from 0. */
  readonly startTick: number;
}

export function usageBetween(window: ProcessWindow): readonly ProcessUsage[] {
  return Array.from(window.after.values(), (now) => usageOf(now, window));
}

function usageOf(now: PidStat, window: ProcessWindow): ProcessUsage {
  const known = window.before.get(now.pid);
  // A pid that was used again is another process: its start time differs.
  const then = known?.startTick === now.startTick ? known : undefined;
  if (then === undefined && now.startTick < window.startTick) {
    // It is older than the window and was not seen at its start: its share is unknown.
    return { pid: now.pid, ownTicks: 0, endedChildrenTicks: 0 };
  }
  const endedChildren = now.childTicks - (then?.childTicks ?? 0) - usedBefore(now.pid, window);
  return {
    pid: now.pid,
    ownTicks: Math.max(0, now.ownTicks - (then?.ownTicks ?? 0)),
    endedChildrenTicks: Math.max(0, endedChildren),
  };
}

function usedBefore(parent: number, { before, after }: ProcessWindow): number {
  let ticks = 0;
  for (const child of before.values()) {
    const lives = after.get(child.pid)?.startTick === child.startTick;
    if (child.ppid === parent && !lives) ticks += child.ownTicks + child.childTicks;
  }
  return ticks;
}

/**
 * True if a process has begun on this machine since the last call: one listing, which takes 0.1 ms.
 */
export class ProcessBirths {
  readonly #files: SystemFiles;
  #known: ReadonlySet<string>;

  constructor(files: SystemFiles) {
    this.#files = files;
    this.#known = this.#list();
  }

  any(): boolean {
    const now = this.#list();
    const before = this.#known;
    this.#known = now;
    return [...now].some((pid) => !before.has(pid));
  }

  #list(): ReadonlySet<string> {
    return new Set(this.#files.list('/proc').filter((name) => /^\d+$/.test(name)));
  }
}
