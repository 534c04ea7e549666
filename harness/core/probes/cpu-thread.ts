import type { RoleSample, ThreadReading, ThreadRole, ThreadTotal } from '../model/reading.ts';
import { parseCmdline, parsePidStat, parseSchedstat } from '../procfs.ts';
import {
  type AttachedProbe,
  cpuMsSince,
  type Probe,
  type Support,
  type WatchedSession,
} from './probe.ts';
import {
  type ProcessTimes,
  readProcessTimes,
  readStartTick,
  usageBetween,
} from './process-times.ts';
import { type Engine, findEngine, processName } from './processes.ts';
import { roleTimeline } from './role-timeline.ts';
import { findRole } from './roles.ts';
import { clockTicksPerSecond, realFiles, type SystemFiles } from '../system-files.ts';
import { type SampledWindow, type ThreadId, ThreadSampler } from './thread-sampler.ts';

/**
 * Exact time on CPU of every thread of the session, from the kernel's schedstat files, and how it
 * grew through the window by what the threads do.
 */
export function createCpuThreadProbe(
  platform: NodeJS.Platform = process.platform,
  files: SystemFiles = realFiles,
): Probe {
  return {
    name: 'cpu-thread',
    supports: () => supportsSchedstat(platform, files),
    attach: (session) => new ThreadWatch(session, files),
  };
}

/** True if the kernel has counters of each thread. */
export function supportsSchedstat(platform: NodeJS.Platform, files: SystemFiles): Support {
  if (platform !== 'linux') {
    return {
      supported: false,
      because: `the time of each thread is read from Linux's /proc, and this is ${platform}`,
    };
  }
  if (files.read('/proc/self/schedstat') === null) {
    return {
      supported: false,
      because: 'this kernel has no /proc/<pid>/schedstat (it was built without CONFIG_SCHED_INFO)',
    };
  }
  return { supported: true };
}

/** Threads are known by `pid/tid`, as their folder in /proc is. */
interface ThreadCount extends ThreadId {
  readonly onCpuNs: number;
  readonly waitingNs: number;
}

interface Beginning {
  readonly processes: ProcessTimes;
  readonly threads: ReadonlyMap<string, ThreadCount>;
  readonly startTick: number;
  readonly costMs: number;
  readonly atMs: number;
}

/**
 * Two snapshots around the window, which give the totals; inside it the sampler reads some counters
 * ten times a second, for the timeline only. A thread that is new at the end is counted from 0,
 * because its counter began inside the window. The time of threads and processes that ended inside
 * the window is taken from their process's or parent's totals (`#endedRows`).
 */
class ThreadWatch implements AttachedProbe {
  readonly #session: WatchedSession;
  readonly #files: SystemFiles;
  readonly #engine: Engine | null;
  readonly #msPerTick: number;
  readonly #sampler: ThreadSampler;
  #beginning: Beginning | null = null;
  #reading: ThreadReading | null = null;

  constructor(session: WatchedSession, files: SystemFiles) {
    this.#session = session;
    this.#files = files;
    this.#engine = findEngine(session.browser);
    this.#msPerTick = 1000 / clockTicksPerSecond();
    this.#sampler = new ThreadSampler(files, () => session.processTree());
    this.#sampler.open(session.processTree());
  }

  start(): void {
    const cpu = process.cpuUsage();
    this.#reading = null;
    const pids = this.#session.processTree();
    const processes = readProcessTimes(this.#files, pids);
    const threads = new Map(
      pids.flatMap((pid) => this.#countThreads(pid)).map((count) => [keyOf(count), count]),
    );
    this.#sampler.open(pids);
    // After the counting. The samples share this clock, so none lies behind the window's end.
    const atMs = this.#sampler.start();
    this.#beginning = {
      processes,
      threads,
      startTick: readStartTick(this.#files, this.#msPerTick),
      costMs: cpuMsSince(cpu),
      atMs,
    };
  }

  stop(): void {
    const endMs = performance.now();
    const cpu = process.cpuUsage();
    const beginning = this.#beginning;
    if (beginning === null) throw new Error('cpu-thread: stop() comes after start()');
    this.#sampler.stop();
    // Known threads first: their window ends here, before the tree is searched again.
    const still = [...beginning.threads.values()].flatMap(({ pid, tid }) => this.#count(pid, tid));
    const known = readProcessTimes(this.#files, [...beginning.processes.keys()]);
    const pids = this.#session.processTree();
    const joined = pids.filter((pid) => !known.has(pid));
    const processes = new Map([...known, ...readProcessTimes(this.#files, joined)]);
    const born = pids.flatMap((pid) => this.#countBorn(pid, beginning, processes));
    const rows = this.#rows([...still, ...born], beginning);
    const gone = this.#goneThreads([...still, ...born]);
    const ended = this.#endedRows({ rows, gone }, beginning, processes);
    const wallMs = endMs - beginning.atMs;
    const sampled = this.#sampler.window();
    this.#reading = {
      probe: 'cpu-thread',
      wallMs,
      threads: [...rows, ...ended].sort((a, b) => b.cpuMs - a.cpuMs),
      timeline: timelineOf([...rows, ...gone], sampled, { beginning, wallMs }),
      ...waitOf(rows, still, beginning),
      costMs: beginning.costMs + sampled.costMs + cpuMsSince(cpu),
    };
  }

  collect(): ThreadReading {
    if (this.#reading === null) throw new Error('cpu-thread: collect() comes after stop()');
    return this.#reading;
  }

  detach(): void {
    this.#sampler.close();
    this.#beginning = null;
  }

  #countThreads(pid: number): readonly ThreadCount[] {
    const tids = this.#files.list(`/proc/${String(pid)}/task`);
    return tids.flatMap((tid) => this.#count(pid, Number(tid)));
  }

  /** No count when the thread is gone. */
  #count(pid: number, tid: number): readonly ThreadCount[] {
    const text = this.#files.read(`${folderOf(pid, tid)}/schedstat`);
    return text === null || text === '' ? [] : [{ pid, tid, ...parseSchedstat(text) }];
  }

  #countBorn(pid: number, beginning: Beginning, now: ProcessTimes): readonly ThreadCount[] {
    const stat = now.get(pid);
    // A process that is older than the window but was not in the tree then has no beginning to
    // count from: its threads would bring their whole past with them.
    const countable = beginning.processes.has(pid) || (stat?.startTick ?? 0) >= beginning.startTick;
    if (!countable) return [];
    return this.#countThreads(pid).filter((count) => !beginning.threads.has(keyOf(count)));
  }

  #rows(counts: readonly ThreadCount[], beginning: Beginning): readonly ThreadTotal[] {
    const processNames = new Map<number, string>();
    return counts.flatMap((count) => {
      const then = beginning.threads.get(keyOf(count))?.onCpuNs ?? 0;
      // Less than before means that the number was given to another thread, which began at 0.
      const usedNs = count.onCpuNs >= then ? count.onCpuNs - then : count.onCpuNs;
      return usedNs === 0 ? [] : this.#row(count, usedNs / 1e6, processNames);
    });
  }

  /** No row when the thread ended just now: its time is then found in its process's total. */
  #row(
    { pid, tid }: ThreadCount,
    cpuMs: number,
    processNames: Map<number, string>,
  ): readonly ThreadTotal[] {
    const stat = parsePidStat(this.#files.read(`${folderOf(pid, tid)}/stat`) ?? '');
    if (stat === null) return [];
    const { name, lastCore } = stat;
    const process = processNames.get(pid) ?? this.#processName(pid);
    processNames.set(pid, process);
    const role = findRole(this.#engine, { pid, tid, process, name });
    return [{ pid, tid, process, name, role, cpuMs, lastCore }];
  }

  #processName(pid: number): string {
    const text = this.#files.read(`/proc/${String(pid)}/cmdline`) ?? '';
    return processName(this.#engine, parseCmdline(text));
  }

  /** Time that the sampler saw of threads that ended inside the window: less than they used. */
  #goneThreads(counts: readonly ThreadId[]): readonly ThreadTotal[] {
    const living = new Set(counts.map(keyOf));
    const processNames = new Map<number, string>();
    return this.#sampler
      .threads()
      .filter((thread) => !living.has(keyOf(thread)))
      .flatMap(({ pid, tid, name, usedNs }) => {
        if (usedNs === 0) return [];
        const process = processNames.get(pid) ?? this.#processName(pid);
        processNames.set(pid, process);
        const role = findRole(this.#engine, { pid, tid, process, name });
        return [{ pid, tid, process, name, role, cpuMs: usedNs / 1e6, lastCore: null }];
      });
  }

  /**
   * A thread that ends takes its schedstat with it, but its process keeps its time: the remainder
   * of the process's total over its living threads. It is shared out among the ended threads that
   * were seen, in proportion to the time seen of each, and belongs to none when none was seen. The
   * total counts whole ticks of user and of system time, at both ends, so a remainder of up to two
   * ticks (20 ms) says nothing and is left out.
   */
  #endedRows(
    {
      rows,
      gone,
    }: { readonly rows: readonly ThreadTotal[]; readonly gone: readonly ThreadTotal[] },
    beginning: Beginning,
    after: ProcessTimes,
  ): readonly ThreadTotal[] {
    const window = { before: beginning.processes, after, startTick: beginning.startTick };
    return usageBetween(window).flatMap(({ pid, ownTicks, endedChildrenTicks }) => {
      const sayable = (ms: number): number => (ms > 2 * this.#msPerTick ? ms : 0);
      const threadsMs = sayable(ownTicks * this.#msPerTick - cpuIn(pid, rows));
      const processesMs = sayable(endedChildrenTicks * this.#msPerTick);
      const process = this.#processName(pid);
      const nobody = { pid, tid: 0, process, role: 'other', lastCore: null } as const;
      return [
        ...shareOut(
          gone.filter((one) => one.pid === pid),
          { ...nobody, name: '(ended threads)', cpuMs: threadsMs },
        ),
        { ...nobody, name: '(ended processes)', cpuMs: processesMs },
      ].filter(({ cpuMs }) => cpuMs > 0);
    });
  }
}

/** The wait of the JavaScript thread that ran most; none where it began inside the window. */
function waitOf(
  rows: readonly ThreadTotal[],
  still: readonly ThreadCount[],
  { threads }: Beginning,
): Pick<ThreadReading, 'wait'> {
  const scripts = rows.filter(({ role }) => role === 'js-main' || role === 'js-worker');
  const [busiest, ...others] = scripts.toSorted((a, b) => b.cpuMs - a.cpuMs);
  if (busiest === undefined) return {};
  const then = threads.get(keyOf(busiest));
  const now = still.find((count) => keyOf(count) === keyOf(busiest));
  if (then === undefined || now === undefined) return {};
  const waitedMs = Math.max(0, now.waitingNs - then.waitingNs) / 1e6;
  const spread = cpuIn(busiest.pid, others) / busiest.cpuMs;
  return { wait: { ranMs: busiest.cpuMs, waitedMs, spread } };
}

function cpuIn(pid: number, rows: readonly ThreadTotal[]): number {
  return rows.reduce((sum, row) => (row.pid === pid ? sum + row.cpuMs : sum), 0);
}

/** The time of all threads that ended, as a row for each name that was seen. */
function shareOut(seen: readonly ThreadTotal[], ended: ThreadTotal): readonly ThreadTotal[] {
  const total = seen.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  if (total === 0) return [ended];
  // The time that was seen is a lower bound, also if the ticks say less.
  const scale = Math.max(1, ended.cpuMs / total);
  const byName = new Map<string, ThreadTotal>();
  for (const { name, role, cpuMs } of seen) {
    const sum = (byName.get(name)?.cpuMs ?? 0) + cpuMs * scale;
    byName.set(name, { ...ended, name: `${name} (ended)`, role, cpuMs: sum });
  }
  return [...byName.values()];
}

interface Span {
  readonly beginning: Beginning;
  readonly wallMs: number;
}

function timelineOf(
  rows: readonly ThreadTotal[],
  sampled: SampledWindow,
  { beginning, wallMs }: Span,
): readonly RoleSample[] {
  const roles = new Map(rows.map((row) => [keyOf(row), row.role]));
  const totals = new Map<ThreadRole, number>();
  for (const { role, cpuMs } of rows) totals.set(role, (totals.get(role) ?? 0) + cpuMs);
  return roleTimeline({
    sampled,
    roleOf: (thread) => roles.get(keyOf(thread)) ?? 'other',
    beganNs: (thread) => beginning.threads.get(keyOf(thread))?.onCpuNs ?? 0,
    end: { atMs: wallMs, cpuMs: totals },
  });
}

function keyOf({ pid, tid }: ThreadId): string {
  return `${String(pid)}/${String(tid)}`;
}

function folderOf(pid: number, tid: number): string {
  return `/proc/${String(pid)}/task/${String(tid)}`;
}
