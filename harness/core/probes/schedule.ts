import type { ScheduleReading, ScheduleSlice, ThreadRole } from '../model/reading.ts';
import type { Engine } from './processes.ts';
import { findRole } from './roles.ts';
import type { BirthEvent, RunEvent, SchedulerEvent, SwitchEvent } from './tracefs/trace.ts';

/**
 * Slices that a reading holds at most, in the database some 20 bytes each. Chromium 156 with its
 * parallel collector at work was seen with 17,000 a second, Firefox and WebKitGTK with far fewer.
 */
export const mostSlices = 50_000;

/** A thread of the session's process tree. */
export interface SessionThread {
  readonly pid: number;
  /** Kind of its process, as `processName` gives it. */
  readonly process: string;
}

export interface ScheduleWindow {
  readonly fromUs: number;
  readonly toUs: number;
  readonly cores: number;
  readonly engine: Engine | null;
  /** By tid. */
  readonly threads: ReadonlyMap<number, SessionThread>;
}

type Slice = Omit<ScheduleSlice, 'fromMs' | 'toMs'> & {
  readonly fromUs: number;
  readonly toUs: number;
};

interface Lane {
  readonly slices: Slice[];
  /** When the thread that is on the core now came. */
  sinceUs: number;
  running: { readonly tid: number; readonly name: string } | null;
}

/** Time that a thread ran since it last left a core. */
interface Stint {
  ranUs: number;
  atUs: number;
  core: number;
  name: string;
}

export type Schedule = Pick<ScheduleReading, 'coresBusy' | 'cores' | 'lostEvents'>;

/**
 * Makes lanes from the scheduler's events, which come in the order of time. The first switch on a core
 * names the thread that was there when the window began; a core without any switch was idle, or another
 * program's all the time: the page, which waited for the window to begin, cannot be on it.
 *
 * A switch to a thread may be missing: on a virtual machine with two cores (Linux 6.18) none from idle
 * was ever traced on the second one, neither by tracefs nor by perf. When a thread leaves a core on
 * which it was not seen to arrive, the time that the kernel accounted to it (`RunEvent`) says since
 * when it was there.
 */
export class ScheduleBuilder {
  readonly #window: ScheduleWindow;
  readonly #threads: Map<number, SessionThread>;
  readonly #lanes: Lane[] = [];
  readonly #stints = new Map<number, Stint>();
  #unread = 0;

  constructor(window: ScheduleWindow) {
    this.#window = window;
    this.#threads = new Map(window.threads);
    this.#laneOf(window.cores - 1);
  }

  /** Null is an event that could not be read. */
  add(event: SchedulerEvent | null): void {
    if (event === null) this.#unread += 1;
    else if (event.kind === 'birth') this.#addBirth(event);
    else if (event.kind === 'run') this.#addRun(event);
    else this.#addSwitch(event);
  }

  /**
   * @param lostByCore events that the kernel dropped on each core. It drops the newest ones, so
   *   where any were lost the schedule ends with the first core's last event: what is shown and
   *   counted is whole.
   */
  finish(lostByCore: readonly number[]): Schedule {
    const lost = lostByCore.reduce((sum, count) => sum + count, 0);
    const endUs = this.#lanes.reduce(
      (end, lane, core) => ((lostByCore[core] ?? 0) > 0 ? Math.min(end, lane.sinceUs) : end),
      this.#window.toUs,
    );
    this.#recoverLast();
    for (const lane of this.#lanes) this.#close(lane, endUs);
    const lanes = this.#lanes.map(({ slices }) => cutAt(slices, endUs));
    const bounded = boundSlices(lanes);
    return {
      coresBusy: busyUs(lanes) / Math.max(1, endUs - this.#window.fromUs),
      cores: bounded.lanes.map((slices) => slices.map((slice) => this.#publish(slice))),
      lostEvents: lost + this.#unread + bounded.leftOut,
    };
  }

  /** Times in microseconds have three decimals in milliseconds, and no more digits. */
  #publish({ fromUs, toUs, role, thread, tid }: Slice): ScheduleSlice {
    const since = (us: number): number => (us - this.#window.fromUs) / 1000;
    return { fromMs: since(fromUs), toMs: since(toUs), role, thread, tid };
  }

  #addBirth({ parentTid, tid, sameProcess }: BirthEvent): void {
    const parent = this.#threads.get(parentTid);
    if (parent === undefined || this.#threads.has(tid)) return;
    this.#threads.set(tid, sameProcess ? parent : { pid: tid, process: 'unknown' });
  }

  #addSwitch({ core, atUs, fromTid, fromName, toTid, toName }: SwitchEvent): void {
    const lane = this.#laneOf(core);
    if (lane.running?.tid !== fromTid) this.#recover(lane, fromTid, atUs);
    this.#stints.delete(fromTid);
    // The name at the end of a slice is the newer one: a thread is named after it was made.
    lane.running = { tid: fromTid, name: fromName };
    this.#close(lane, atUs);
    lane.running = { tid: toTid, name: toName };
  }

  #addRun({ tid, name, core, atUs, ranUs }: RunEvent): void {
    const before = this.#stints.get(tid)?.ranUs ?? 0;
    this.#stints.set(tid, { ranUs: before + ranUs, atUs, core, name });
  }

  /** The thread is on the core, and was not seen to arrive: ends what was there before it. */
  #recover(lane: Lane, tid: number, atUs: number): void {
    const stint = this.#stints.get(tid);
    // Without an account: nothing is known but that who is there first was there from the beginning.
    if (stint === undefined && lane.running === null) return;
    this.#close(lane, Math.max(lane.sinceUs, Math.round(atUs - (stint?.ranUs ?? 0))));
  }

  /** Threads that arrived unseen and were still there at the end. */
  #recoverLast(): void {
    const seen = new Set(this.#lanes.map(({ running }) => running?.tid));
    for (const [tid, { atUs, core, name }] of this.#stints) {
      const lane = this.#laneOf(core);
      const taken = lane.running !== null && lane.running.tid !== 0;
      if (seen.has(tid) || taken) continue;
      this.#recover(lane, tid, atUs);
      lane.running = { tid, name };
    }
  }

  /** A core that is switched on later has a higher number than those that were counted. */
  #laneOf(core: number): Lane {
    while (this.#lanes.length < core) this.#lanes.push(this.#newLane());
    return (this.#lanes[core] ??= this.#newLane());
  }

  #newLane(): Lane {
    return { slices: [], sinceUs: this.#window.fromUs, running: null };
  }

  /** Ends the slice that is on the core now. */
  #close(lane: Lane, atUs: number): void {
    const { fromUs, toUs } = this.#window;
    const endUs = Math.min(Math.max(atUs, fromUs), toUs);
    const { running, sinceUs } = lane;
    lane.sinceUs = endUs;
    if (running === null || running.tid === 0 || endUs <= sinceUs) return;
    const { tid, name } = running;
    lane.slices.push({
      fromUs: sinceUs,
      toUs: endUs,
      role: this.#roleOf(tid, name),
      thread: name,
      tid,
    });
  }

  #roleOf(tid: number, name: string): ThreadRole | 'foreign' {
    const thread = this.#threads.get(tid);
    if (thread === undefined) return 'foreign';
    return findRole(this.#window.engine, { ...thread, tid, name });
  }
}

function cutAt(slices: readonly Slice[], endUs: number): readonly Slice[] {
  return slices
    .filter(({ fromUs }) => fromUs < endUs)
    .map((slice) => (slice.toUs <= endUs ? slice : { ...slice, toUs: endUs }));
}

function busyUs(lanes: readonly (readonly Slice[])[]): number {
  return lanes
    .flat()
    .reduce((sum, { role, fromUs, toUs }) => (role === 'foreign' ? sum : sum + toUs - fromUs), 0);
}

interface BoundedLanes {
  readonly lanes: readonly (readonly Slice[])[];
  readonly leftOut: number;
}

/**
 * The shortest slices are left out, those of other programs first: no picture can show them, and
 * another program that switches often may make most of them.
 */
function boundSlices(lanes: readonly (readonly Slice[])[]): BoundedLanes {
  const all = lanes.flat();
  if (all.length <= mostSlices) return { lanes, leftOut: 0 };
  const lengthOf = ({ fromUs, toUs }: Slice): number => toUs - fromUs;
  const isOthers = ({ role }: Slice): number => (role === 'foreign' ? 1 : 0);
  const kept = new Set(
    all
      .toSorted((a, b) => isOthers(a) - isOthers(b) || lengthOf(b) - lengthOf(a))
      .slice(0, mostSlices),
  );
  return {
    lanes: lanes.map((slices) => slices.filter((slice) => kept.has(slice))),
    leftOut: all.length - mostSlices,
  };
}
