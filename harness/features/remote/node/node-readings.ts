import type {
  CoreReading,
  EnvironmentReading,
  Reading,
  RoleSample,
  ThreadReading,
  ThreadRole,
  ThreadTotal,
} from '../../../core/model/reading.ts';
import {
  type CoreTicks,
  parseCmdline,
  parsePidStat,
  parseStat,
  parseUptime,
} from '../../../core/procfs.ts';
import {
  readFrequencyMhz,
  readSurroundings,
  computeShares,
} from '../../../core/probes/environment.ts';
import type { AttachedProbe, Probe } from '../../../core/probes/probe.ts';
import { usageBetween } from '../../../core/probes/process-times.ts';
import { findEngine, processName } from '../../../core/probes/processes.ts';
import { roleTimeline } from '../../../core/probes/role-timeline.ts';
import { findRole } from '../../../core/probes/roles.ts';
import { NodeUnreadable } from './frame.ts';
import { lookMs, NodeRecorder, type RecorderOptions } from './node-recorder.ts';
import {
  type NodeSample,
  type NodeWindow,
  parseProcesses,
  type ThreadCounter,
} from './node-window.ts';

/** The readings of a window on another machine, in the form of those of this one. */

interface Edges {
  readonly first: NodeSample;
  readonly last: NodeSample;
}

function edgesOf({ samples }: NodeWindow): Edges {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    throw new TypeError('a window has a start and an end');
  }
  return { first, last };
}

function wallOf({ first, last }: Edges): number {
  return Math.max(0, last.atMs - first.atMs);
}

/** Time that reading took there, in whole ticks. */
function costOf({ first, last }: Edges, msPerTick: number): number {
  return Math.max(0, last.readerTicks - first.readerTicks) * msPerTick;
}

function coreReading(window: NodeWindow): CoreReading {
  const edges = edgesOf(window);
  const { first } = edges;
  const msPerTick = 1000 / window.ticksPerSecond;
  const grown = (then: number, now: number | undefined): number =>
    Math.max(0, (now ?? then) - then) * msPerTick;
  return {
    probe: 'cpu-core',
    wallMs: wallOf(edges),
    intervalMs: lookMs,
    snapshots: window.samples.map(({ atMs, cores }) => {
      const now = new Map(cores.map((one) => [one.core, one]));
      const each = (pick: (ticks: CoreTicks) => number): readonly number[] =>
        first.cores.map((then) => {
          const ticks = now.get(then.core);
          return grown(pick(then), ticks && pick(ticks));
        });
      return {
        atMs: Math.max(0, atMs - first.atMs),
        busyMs: each(({ busy }) => busy),
        stealMs: each(({ steal }) => steal),
      };
    }),
    costMs: costOf(edges, msPerTick),
  };
}

function environmentReading(window: NodeWindow): EnvironmentReading {
  const edges = edgesOf(window);
  const { before } = window;
  const { last } = edges;
  const msPerTick = 1000 / window.ticksPerSecond;
  const own = parseProcesses(before).get(before.reader);
  const readerTicks = last.readerTicks - (own === undefined ? 0 : own.ownTicks + own.childTicks);
  const use = {
    before: parseStat(before.files.read('/proc/stat') ?? ''),
    after: last.cores,
    lastedMs: last.atMs - before.atMs,
    knownMs: (usedTicks(window, last) + Math.max(0, readerTicks)) * msPerTick,
  };
  return {
    probe: 'environment',
    ...readSurroundings(before.files),
    frequencyMhz: readFrequencyMhz(window.after.files),
    ...computeShares(use, msPerTick),
    // Counted for each core, in files of which a window here reads none.
    throttleEvents: null,
    costMs: costOf(edges, msPerTick),
  };
}

/** CPU time of the session's processes since the page began to warm up. */
function usedTicks(window: NodeWindow, last: NodeSample): number {
  return usageBetween({
    before: parseProcesses(window.before),
    after: last.processes,
    startTick: startTickOf(window),
  }).reduce((sum, used) => sum + used.ownTicks + used.endedChildrenTicks, 0);
}

function startTickOf({ before, ticksPerSecond }: NodeWindow): number {
  const seconds = parseUptime(before.files.read('/proc/uptime') ?? '');
  return seconds === null ? Number.POSITIVE_INFINITY : Math.floor(seconds * ticksPerSecond);
}

function threadReading(window: NodeWindow, browser: string): ThreadReading {
  const edges = edgesOf(window);
  const msPerTick = 1000 / window.ticksPerSecond;
  const rows = [...livingThreads(window, edges, browser), ...endedThreads(window, edges, browser)];
  return {
    probe: 'cpu-thread',
    wallMs: wallOf(edges),
    threads: rows.toSorted((a, b) => b.cpuMs - a.cpuMs),
    timeline: timelineOf(window, edges, rows),
    costMs: costOf(edges, msPerTick),
  };
}

function keyOf({ pid, tid }: { readonly pid: number; readonly tid: number }): string {
  return `${String(pid)}/${String(tid)}`;
}

function countersOf({ threads }: NodeSample): ReadonlyMap<string, ThreadCounter> {
  return new Map(threads.map((thread) => [keyOf(thread), thread]));
}

/** A thread that is new at the end began inside the window: its counter is counted from 0. */
function livingThreads(
  window: NodeWindow,
  { first, last }: Edges,
  browser: string,
): readonly ThreadTotal[] {
  const engine = findEngine(browser);
  const then = countersOf(first);
  const { files } = window.after;
  return last.threads.flatMap(({ pid, tid, onCpuNs }) => {
    const began = then.get(keyOf({ pid, tid }))?.onCpuNs ?? 0;
    const stat = parsePidStat(files.read(`/proc/${String(pid)}/task/${String(tid)}/stat`) ?? '');
    // One that ended just now is in its process's total.
    if (onCpuNs <= began || stat === null) return [];
    const { name, lastCore } = stat;
    const process = nameOfProcess(window, browser, pid);
    const role = findRole(engine, { pid, tid, process, name });
    return [{ pid, tid, process, name, role, cpuMs: (onCpuNs - began) / 1e6, lastCore }];
  });
}

function nameOfProcess({ after }: NodeWindow, browser: string, pid: number): string {
  const text = after.files.read(`/proc/${String(pid)}/cmdline`) ?? '';
  return processName(findEngine(browser), parseCmdline(text.trimEnd()));
}

/**
 * CPU time of a process beyond its live threads: that of threads that ended. Both ends of the total are
 * whole ticks, so a remainder of up to two of them says nothing.
 */
function endedThreads(window: NodeWindow, edges: Edges, browser: string): readonly ThreadTotal[] {
  const { first, last } = edges;
  const msPerTick = 1000 / window.ticksPerSecond;
  const living = livingThreads(window, edges, browser);
  const usage = usageBetween({
    before: first.processes,
    after: last.processes,
    startTick: startTickOf(window),
  });
  return usage.flatMap(({ pid, ownTicks }): readonly ThreadTotal[] => {
    const seenMs = living.reduce((sum, row) => (row.pid === pid ? sum + row.cpuMs : sum), 0);
    const cpuMs = ownTicks * msPerTick - seenMs;
    if (cpuMs <= 2 * msPerTick) return [];
    const process = nameOfProcess(window, browser, pid);
    const nobody = { tid: 0, name: '(ended threads)', role: 'other', lastCore: null } as const;
    return [{ pid, process, ...nobody, cpuMs }];
  });
}

function timelineOf(
  { samples }: NodeWindow,
  edges: Edges,
  rows: readonly ThreadTotal[],
): readonly RoleSample[] {
  const { first } = edges;
  const roles = new Map(rows.map((row) => [keyOf(row), row.role]));
  const totals = new Map<ThreadRole, number>();
  for (const { role, cpuMs } of rows) totals.set(role, (totals.get(role) ?? 0) + cpuMs);
  const began = countersOf(first);
  const inside = samples.slice(1, -1);
  return roleTimeline({
    sampled: {
      instants: inside.map(({ atMs }) => atMs - first.atMs),
      steps: inside.flatMap(({ atMs, threads }) =>
        threads.map((thread) => ({ ...thread, atMs: atMs - first.atMs })),
      ),
      costMs: 0,
    },
    roleOf: (thread) => roles.get(keyOf(thread)) ?? 'other',
    beganNs: (thread) => began.get(keyOf(thread))?.onCpuNs ?? 0,
    end: { atMs: wallOf(edges), cpuMs: totals },
  });
}

type NodeProbe = Extract<Probe['name'], 'environment' | 'cpu-thread' | 'cpu-core'>;

const readers: Readonly<Record<NodeProbe, (window: NodeWindow, browser: string) => Reading>> = {
  environment: environmentReading,
  'cpu-thread': threadReading,
  'cpu-core': coreReading,
};

/** The probes of one session on another machine. They share what is read there. */
export function nodeProbes(options: RecorderOptions): readonly Probe[] {
  // A page has one window, and a session may have several pages.
  let shared: { recorder: NodeRecorder; takers: Set<NodeProbe> } | null = null;
  const recorderFor = (name: NodeProbe): NodeRecorder => {
    if (shared === null || shared.takers.has(name)) {
      shared = { recorder: new NodeRecorder(options), takers: new Set() };
    }
    shared.takers.add(name);
    return shared.recorder;
  };
  const names = Object.keys(readers) as NodeProbe[];
  return names.map((name) => ({
    name,
    supports: () => ({ supported: true }),
    attach: ({ browser }) => attach(recorderFor(name), { name, browser }),
  }));
}

interface Attachment {
  readonly name: NodeProbe;
  readonly browser: string;
}

function attach(recorder: NodeRecorder, { name, browser }: Attachment): AttachedProbe {
  let reading: Reading | null = null;
  recorder.attach();
  return {
    start: () => {
      recorder.start();
    },
    stop: () => {
      recorder.stop();
    },
    arrived: async () => {
      reading = await readingOf(recorder, { name, browser });
    },
    collect: () => {
      if (reading === null) throw new Error(`${name}: collect() comes after arrived()`);
      return reading;
    },
    detach: () => {
      recorder.detach();
    },
  };
}

/** An unreadable machine ruins no trial: its page was timed all the same. */
async function readingOf(recorder: NodeRecorder, { name, browser }: Attachment): Promise<Reading> {
  try {
    return readers[name](await recorder.window(), browser);
  } catch (error) {
    if (error instanceof NodeUnreadable) return { probe: name, notSupported: error.message };
    throw error;
  }
}
