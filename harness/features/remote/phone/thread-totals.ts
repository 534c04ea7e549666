import type {
  RoleSample,
  ThreadReading,
  ThreadRole,
  ThreadTotal,
} from '../../../core/model/reading.ts';
import { type Engine, findEngine } from '../../../core/probes/processes.ts';
import type { PidStat } from '../../../core/procfs.ts';
import { findRole } from '../../../core/probes/roles.ts';
import {
  type PhoneWindow,
  type TickPoint,
  findInstant,
  halfGranuleMs,
  msPerTick,
  ticksAt,
} from './phone-clock.ts';
import type { SampleDump } from './sample-parser.ts';
import type { KeptSamples } from './sample-stream.ts';

export interface ThreadSetting {
  readonly kept: KeptSamples;
  readonly window: PhoneWindow;
  /** Product, which says how threads are named. */
  readonly browser: string;
  /** The browser's app. */
  readonly app: string;
}

/** Fewer instants than this inside the window make no timeline. */
const fewestInstants = 2;

/**
 * Time on CPU of every thread of the app inside the window, and its course by role. Counters are
 * whole ticks of 10 ms; a thread that ended has what was seen of it last, and what is then missing
 * from its process's own total is a row without a thread, where it is more than rounding can make.
 */
export function threadTotals(setting: ThreadSetting): Pick<ThreadReading, 'threads' | 'timeline'> {
  const { window } = setting;
  const seen = collectThreads(setting.kept.dumps);
  const rows = seen.threads.flatMap((thread) => rowOf(thread, setting));
  const threads = [...rows.map(({ total }) => total), ...endedRows(seen.processes, rows, setting)];
  return {
    threads: threads.filter(({ cpuMs }) => cpuMs > 0).sort((a, b) => b.cpuMs - a.cpuMs),
    timeline: timelineOf(rows, threads, { window, instants: seen.instants }),
  };
}

/** A thread or a process, through all dumps that have it. */
interface Course {
  readonly pid: number;
  readonly points: TickPoint[];
  last: PidStat;
  /** It is in the last dump. */
  lives: boolean;
}

interface SampledCourses {
  readonly threads: readonly Course[];
  readonly processes: readonly Course[];
  readonly instants: readonly number[];
}

function collectThreads(dumps: readonly SampleDump[]): SampledCourses {
  const full = dumps.filter(({ processes }) => processes !== null);
  const began = full[0];
  const [threads, processes] = [new Map<string, Course>(), new Map<string, Course>()];
  for (const dump of full) {
    const at = { dump, isFirst: dump === began, isLast: dump === full.at(-1), began };
    for (const [pid, { process, threads: own }] of dump.processes ?? []) {
      note(processes, { key: String(pid), pid, stat: process }, at);
      for (const stat of own)
        note(threads, { key: `${String(pid)}/${String(stat.pid)}`, pid, stat }, at);
    }
  }
  return {
    threads: [...threads.values()],
    processes: [...processes.values()],
    instants: full.map(findInstant),
  };
}

interface Sighting {
  readonly key: string;
  readonly pid: number;
  readonly stat: PidStat;
}

interface Look {
  readonly dump: SampleDump;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly began: SampleDump | undefined;
}

function note(courses: Map<string, Course>, { key, pid, stat }: Sighting, look: Look): void {
  const known = courses.get(key);
  const point = { atMs: findInstant(look.dump), ticks: [stat.ownTicks] };
  // A number that was given to another thread starts a new series.
  if (known !== undefined && known.last.startTick === stat.startTick) {
    known.points.push(point);
    known.last = stat;
    known.lives = look.isLast;
    return;
  }
  if (known !== undefined) courses.set(`${key} until ${String(known.last.startTick)}`, known);
  const birth = stat.startTick * msPerTick + halfGranuleMs;
  const isBorn = !look.isFirst && look.began !== undefined && birth >= look.began.atMs;
  const points = isBorn && birth < point.atMs ? [{ atMs: birth, ticks: [0] }, point] : [point];
  courses.set(key, { pid, points, last: stat, lives: look.isLast });
}

interface Row {
  readonly total: ThreadTotal;
  readonly usedBy: (atMs: number) => number;
}

/** None for a thread that is older than the watch and was found later: its past would come with it. */
function rowOf(course: Course, { kept, window, browser, app }: ThreadSetting): readonly Row[] {
  const usedBy = usage(course, window);
  if (usedBy === null) return [];
  const { pid, last, lives } = course;
  const engine = findEngine(browser);
  const process = appProcess(engine, app, kept.names.get(pid) ?? app);
  const role = findRole(engine, { pid, tid: last.pid, process, name: last.name });
  const cpuMs = usedBy(window.toMs);
  const lastCore = lives ? last.lastCore : null;
  return [
    { usedBy, total: { pid, tid: last.pid, process, name: last.name, role, cpuMs, lastCore } },
  ];
}

/** Time since the window began; null where its beginning is not known. */
function usage(
  { points, last }: Course,
  { fromMs, toMs }: PhoneWindow,
): ((atMs: number) => number) | null {
  const first = points[0];
  // It began after the window.
  if (first === undefined || first.atMs >= toMs) return null;
  const isBornInside = first.atMs > fromMs && first.ticks[0] === 0;
  if (first.atMs > fromMs && !isBornInside) return null;
  const before = isBornInside ? 0 : (ticksAt(points, fromMs)?.[0] ?? 0);
  const end = ticksAt(points, toMs)?.[0] ?? last.ownTicks;
  return (atMs) => {
    const now = atMs >= toMs ? end : (ticksAt(points, atMs)?.[0] ?? before);
    return Math.max(0, now - before) * msPerTick;
  };
}

function endedRows(
  processes: readonly Course[],
  rows: readonly Row[],
  { kept, window, browser, app }: ThreadSetting,
): readonly ThreadTotal[] {
  return processes.flatMap((course) => {
    const { pid } = course;
    const usedBy = usage(course, window);
    if (usedBy === null) return [];
    const busy = rows.filter(({ total }) => total.pid === pid && total.cpuMs > 0);
    const cpuMs = usedBy(window.toMs) - busy.reduce((sum, { total }) => sum + total.cpuMs, 0);
    // The process's counter is cut to whole ticks at both ends, and each thread may be short of one.
    if (cpuMs <= msPerTick * (2 + busy.length)) return [];
    const process = appProcess(findEngine(browser), app, kept.names.get(pid) ?? app);
    const nobody = { pid, tid: 0, process, role: 'other', lastCore: null } as const;
    return [{ ...nobody, name: '(ended threads)', cpuMs }];
  });
}

interface TimelineParts {
  readonly window: PhoneWindow;
  readonly instants: readonly number[];
}

function timelineOf(
  rows: readonly Row[],
  threads: readonly ThreadTotal[],
  { window: { fromMs, toMs }, instants }: TimelineParts,
): readonly RoleSample[] {
  const inside = instants.filter((atMs) => atMs > fromMs && atMs < toMs);
  if (inside.length < fewestInstants) return [];
  const samples = inside.map((atMs) => ({
    atMs: atMs - fromMs,
    cpuMs: byRole(rows.map(({ total, usedBy }) => ({ role: total.role, cpuMs: usedBy(atMs) }))),
  }));
  return [{ atMs: 0, cpuMs: {} }, ...samples, { atMs: toMs - fromMs, cpuMs: byRole(threads) }];
}

function byRole(
  rows: readonly { readonly role: ThreadRole; readonly cpuMs: number }[],
): RoleSample['cpuMs'] {
  const sums: Partial<Record<ThreadRole, number>> = {};
  for (const { role, cpuMs } of rows) {
    if (cpuMs > 0) sums[role] = (sums[role] ?? 0) + cpuMs;
  }
  return sums;
}

/**
 * Returns the kind of an Android app's process, in its engine's words on a desktop (`processName`).
 * Android names a process of an app `<app>:<kind><number>…`, its first one `<app>`. Chromium's kinds
 * are `sandboxed_process` (renderers, and now and then a utility) and `privileged_process` (the GPU's);
 * GeckoView's are `tab`, `isolatedTab`, `gpu`, `socket`, `utility`, …
 */
function appProcess(engine: Engine | null, app: string, name: string): string {
  if (name === app) return 'browser';
  const kind = /^([A-Za-z_]+)/.exec(name.slice(app.length + 1))?.[1] ?? 'unknown';
  if (engine === 'chromium') return chromiumKinds[kind] ?? kind;
  if (engine === 'firefox') return /tab$/i.test(kind) ? 'content' : kind;
  return kind;
}

const chromiumKinds: Readonly<Record<string, string>> = {
  sandboxed_process: 'renderer',
  privileged_process: 'gpu',
};
