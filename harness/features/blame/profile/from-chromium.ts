import { ProfileBuilder } from './builder.ts';
import type { Category, Profile, ProfiledThread } from './profile.ts';
import { FramesOfNodes, type V8Node } from './v8-nodes.ts';
import { endsOfAll, joinStretches, overlapWith, type Stretch, windowMark } from './windows.ts';

/**
 * Chromium's trace (and that of Node.js, `pages/kit/node-trace.cjs`) as a compact profile. Stacks are in
 * events `Profile` and `ProfileChunk`, sampled by V8; their times, those of `performance.measure` and
 * those of the browser's own work are microseconds of one clock. Format: "Trace Event Format", and
 * `src/profiler/profile-generator.cc` of V8 for those two.
 */
export interface ChromiumTrace {
  readonly traceEvents: readonly unknown[];
}

interface TraceEvent {
  readonly ph?: string;
  readonly cat?: string;
  readonly name?: string;
  readonly pid?: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: string;
  readonly id2?: { readonly local?: string; readonly global?: string };
  readonly args?: { readonly data?: ChunkData; readonly name?: string };
}

interface ChunkData {
  readonly startTime?: number;
  readonly cpuProfile?: {
    readonly nodes?: readonly V8Node[];
    readonly samples?: readonly number[];
  };
  readonly timeDeltas?: readonly number[];
}

/** Sampled stacks of one thread. */
interface Sampled {
  readonly pid: number;
  readonly tid: number;
  readonly startUs: number;
  readonly nodes: V8Node[];
  readonly samples: number[];
  readonly deltas: number[];
}

export interface ReadingFacts {
  readonly engine: Profile['engine'];
  readonly intervalMs: number;
  readonly operations: number;
}

/** @returns the profile, or half a sentence: why there is none */
export function readChromiumTrace(trace: ChromiumTrace, facts: ReadingFacts): ProfileReading {
  const events = trace.traceEvents.filter(isEvent);
  const window = findWindow(events);
  if (window === null) return { missing: 'its trace does not hold the timed window' };
  const { pid, stretches } = window;
  const builder = new ProfileBuilder();
  const names = threadNames(events, pid);
  const work = findWork(events, pid);
  const notes: string[] = [];
  const sampled = collectSamples(events).filter((one) => one.pid === pid);
  if (sampled.length === 0) return { missing: 'its trace holds no samples of the page' };
  for (const one of sampled) {
    const name = names.get(one.tid) ?? 'thread';
    const own = { name, work: work.get(one.tid), stretches };
    const whole = addThread(builder, one, { ...own, longestGap: gapsOfSamples * facts.intervalMs });
    if (!whole) notes.push(`The stacks of a thread (${name}) are cut off.`);
  }
  const inMs = stretches.map(({ from, to }) => ({ from: from / 1000, to: to / 1000 }));
  return { builder, facts: { ...facts, ...endsOfAll(inMs), notes: notes.slice(0, 20) } };
}

/** A profile that is read, before it is thinned; or half a sentence: why there is none. */
export type ProfileReading =
  | { readonly builder: ProfileBuilder; readonly facts: Parameters<ProfileBuilder['finish']>[0] }
  | { readonly missing: string };

function isEvent(value: unknown): value is TraceEvent {
  return typeof value === 'object' && value !== null;
}

/** The newest page with a window: a page that warms a cache comes before it. */
function findWindow(
  events: readonly TraceEvent[],
): { readonly pid: number; readonly stretches: readonly Stretch[] } | null {
  const begun = new Map<string, number>();
  const byProcess = new Map<number, Stretch[]>();
  for (const event of events) {
    if (event.name !== windowMark || event.cat?.includes('blink.user_timing') !== true) continue;
    const { ts = 0, pid = 0, ph } = event;
    const key = `${String(pid)} ${markName(event)}`;
    const from = begun.get(key);
    if (ph === 'b') begun.set(key, ts);
    if (ph !== 'e' || from === undefined) continue;
    begun.delete(key);
    const stretches = byProcess.get(pid) ?? [];
    byProcess.delete(pid);
    byProcess.set(pid, stretches);
    stretches.push({ from, to: ts });
  }
  const last = [...byProcess].at(-1);
  return last === undefined ? null : { pid: last[0], stretches: joinStretches(last[1]) };
}

function markName({ id, id2 }: TraceEvent): string {
  return id2?.local ?? id2?.global ?? id ?? '';
}

function threadNames(events: readonly TraceEvent[], pid: number): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const event of events) {
    if (event.ph !== 'M' || event.name !== 'thread_name' || event.pid !== pid) continue;
    names.set(event.tid ?? 0, event.args?.name ?? '');
  }
  return names;
}

function collectSamples(events: readonly TraceEvent[]): readonly Sampled[] {
  const found = new Map<string, Sampled>();
  for (const event of events) {
    if (event.name === 'Profile') found.set(profileName(event), beginSamples(event));
  }
  // Chunks come from the thread that samples, and may stand before the beginning of their profile.
  for (const event of events) {
    const sampled = event.name === 'ProfileChunk' ? found.get(profileName(event)) : undefined;
    if (sampled !== undefined) addChunk(sampled, event.args?.data ?? {});
  }
  return [...found.values()].filter(({ samples }) => samples.length > 0);
}

function profileName({ pid = 0, id = '' }: TraceEvent): string {
  return `${String(pid)} ${id}`;
}

function beginSamples({ pid = 0, tid = 0, ts = 0, args }: TraceEvent): Sampled {
  return { pid, tid, startUs: args?.data?.startTime ?? ts, nodes: [], samples: [], deltas: [] };
}

function addChunk(sampled: Sampled, { cpuProfile = {}, timeDeltas = [] }: ChunkData): void {
  for (const node of cpuProfile.nodes ?? []) sampled.nodes.push(node);
  for (const sample of cpuProfile.samples ?? []) sampled.samples.push(sample);
  for (const delta of timeDeltas) sampled.deltas.push(delta);
}

/** Work of the browser on a thread that its events name; the stretches of one kind are joined. */
interface Work {
  readonly kinds: readonly {
    readonly category: Category;
    readonly stretches: readonly Stretch[];
  }[];
  /** When the thread had a task; null where the trace does not say. */
  readonly tasks: readonly Stretch[] | null;
}

const categoryOfEvent = new Map<string, Category>([
  ...['MajorGC', 'MinorGC', 'V8.GC_MARK_COMPACTOR', 'V8.GC_SCAVENGER'].map(
    (name) => [name, 'gc'] as const,
  ),
  ...[
    'v8.compile',
    'V8.CompileCode',
    'V8.OptimizeCode',
    'v8.compileModule',
    'V8.DeoptimizeCode',
  ].map((name) => [name, 'compiler'] as const),
  ...['UpdateLayoutTree', 'RecalculateStyles', 'ParseAuthorStyleSheet'].map(
    (name) => [name, 'style'] as const,
  ),
  ['Layout', 'layout'],
  ...['PrePaint', 'Paint', 'Layerize', 'Commit', 'UpdateLayer', 'CompositeLayers'].map(
    (name) => [name, 'paint'] as const,
  ),
]);

const taskNames: ReadonlySet<string> = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);

function findWork(events: readonly TraceEvent[], pid: number): ReadonlyMap<number, Work> {
  const byThread = new Map<number, Map<Category | 'task', Stretch[]>>();
  for (const { ph, name = '', ts, dur, pid: process, tid = 0 } of events) {
    if (ph !== 'X' || process !== pid || ts === undefined || dur === undefined) continue;
    const kind = taskNames.has(name) ? 'task' : categoryOfEvent.get(name);
    if (kind === undefined) continue;
    const kinds = byThread.get(tid) ?? new Map<Category | 'task', Stretch[]>();
    byThread.set(tid, kinds);
    const stretches = kinds.get(kind) ?? [];
    kinds.set(kind, stretches);
    stretches.push({ from: ts, to: ts + dur });
  }
  return new Map(
    [...byThread].map(([tid, kinds]) => {
      const tasks = kinds.get('task');
      return [
        tid,
        {
          kinds: [...kinds].flatMap(([category, stretches]) =>
            category === 'task' ? [] : [{ category, stretches: joinStretches(stretches) }],
          ),
          tasks: tasks === undefined ? null : joinStretches(tasks),
        },
      ];
    }),
  );
}

interface ThreadSetting {
  readonly name: string;
  readonly work: Work | undefined;
  readonly stretches: readonly Stretch[];
  /** Between two samples of a thread that has a core, in milliseconds. */
  readonly longestGap: number;
}

/** A thread without a sample for so many intervals had no core, and worked at nothing. */
const gapsOfSamples = 20;

/** @returns whether the node of each sample is known */
function addThread(builder: ProfileBuilder, sampled: Sampled, setting: ThreadSetting): boolean {
  const { work, stretches, longestGap } = setting;
  const add = builder.addThread({ name: setting.name, role: roleOfThread(setting.name) });
  const frames = new FramesOfNodes(builder, sampled.nodes);
  const inWindow = overlapWith(stretches);
  const tasks = work?.tasks ?? null;
  const isBusy = tasks === null ? null : overlapWith(tasks);
  const kinds = (work?.kinds ?? []).map(({ category, stretches: all }) => ({
    category,
    within: overlapWith(all),
  }));
  let isWhole = true;
  for (const { id, from, to } of inOrder(sampled)) {
    const share = inWindow({ from, to });
    const instant = { from, to: from + 1 };
    // Asked in any case: the answers are for stretches that follow each other.
    const doing = kinds.filter(({ within }) => within(instant) > 0);
    const busy = isBusy === null || isBusy(instant) > 0;
    if (share <= 0) continue;
    const node = frames.find(id);
    if (node === null) isWhole = false;
    else {
      const ms = share / 1000;
      const leaf = frames.leaf(node, { doing: doing[0]?.category, busy });
      add(leaf, busy ? Math.min(ms, longestGap) : ms);
    }
  }
  return isWhole;
}

/** Samples with the time for which each stands. V8 writes some later than the ones that follow them. */
function inOrder({
  startUs,
  samples,
  deltas,
}: Sampled): readonly { readonly id: number; readonly from: number; readonly to: number }[] {
  let at = startUs;
  const timed = samples
    .map((id, i) => ({ id, from: (at += deltas[i] ?? 0) }))
    .sort((a, b) => a.from - b.from);
  return timed.map((one, i) => ({ ...one, to: timed[i + 1]?.from ?? one.from }));
}

function roleOfThread(name: string): ProfiledThread['role'] {
  if (/RendererMain|^main$/i.test(name)) return 'main';
  return /worker/i.test(name) ? 'worker' : 'helper';
}
