import { closeSync, openSync, readSync } from 'node:fs';
import { cpuMsSince } from './probe.ts';
import { ProcessBirths } from './process-times.ts';
import { isAbsent, type SystemFiles } from '../system-files.ts';

/**
 * How often the counters of threads are read. The kernel adds to the counter of a thread that is
 * running at its own ticks only, every 4 to 10 ms (CONFIG_HZ 250 to 100), so a slice of 100 ms is
 * right within 4 to 10 % of a core, and a shorter one would show the ticks instead of the thread.
 */
export const samplingMs = 100;

/**
 * Every how many ticks all threads are read and new ones are looked for: once a second, first when
 * the window is one second old, because all were listed and read just before it. Such a round lists
 * the tasks of every known process (about 10 µs each), reads every counter (about 4 µs each) and
 * opens what is new: half a millisecond for the 120 threads of Chromium, seen on a busy machine.
 */
const ticksPerRound = 10;

/**
 * With at most this many processes, every tick looks for new threads: a runtime's one process is listed
 * in about 10 µs, and its workers may come and go within a second.
 */
const fewProcesses = 3;

/** Threads that one tick reads at most; the others are read once a second. It bounds the cost. */
const mostPerTick = 32;

/** Descriptors that one session may take. Firefox with three pages was seen with 230 threads. */
const mostThreads = 1000;

export interface ThreadId {
  readonly pid: number;
  readonly tid: number;
}

interface OpenThread extends ThreadId {
  readonly fd: number;
  readonly openedNs: number;
  /** It began inside the window. */
  readonly born: boolean;
  name: string;
  /** When the window began; its whole time, if it had ended by then. */
  beganNs: number;
  lastNs: number;
  ended: boolean;
}

/** A thread, running or ended. */
export interface KnownThread extends ThreadId {
  /** As the kernel showed it last. */
  readonly name: string;
  /** Time on CPU inside the window, when it was read last. */
  readonly usedNs: number;
}

/** A counter that was read inside the window and had risen. */
export interface CounterStep extends ThreadId {
  readonly atMs: number;
  readonly onCpuNs: number;
}

/** The result of sampling: every instant, and every counter that had risen. */
export interface SampledWindow {
  /** Since `start`. */
  readonly instants: readonly number[];
  /** In the order in which they were read. */
  readonly steps: readonly CounterStep[];
  /** CPU time of the samples themselves; waking up is left out, because cpu-core wakes more often. */
  readonly costMs: number;
}

/**
 * Reads the schedstat counters of known threads on descriptors that were opened before the window.
 * Each tick reads only the threads that had used CPU since the descriptors were opened, in the
 * warm-up, because most threads of a browser never do: of 120 in Chromium some 15. Digits are taken
 * from the bytes as they come, so reading a counter allocates nothing. A tick as a whole does: two
 * small objects of `process.cpuUsage`, and a larger log when that is full; once a second moreover
 * the names that a full round lists (`ticksPerRound`), and at every tick in a session of few
 * processes.
 */
export class ThreadSampler {
  readonly #files: SystemFiles;
  readonly #find: (() => readonly number[]) | undefined;
  readonly #births: ProcessBirths;
  readonly #threads: OpenThread[] = [];
  readonly #known = new Set<string>();
  readonly #bytes = Buffer.alloc(96);
  #pids: readonly number[] = [];
  #active: number[] = [];
  #running = false;
  #log = new CounterLog();
  #timer: NodeJS.Timeout | null = null;
  #startedAtMs = 0;
  #ticks = 0;
  #costMs = 0;

  /**
   * @param find lists the processes again: those of a page may begin inside the window, with its
   * navigation
   */
  constructor(files: SystemFiles, find?: () => readonly number[]) {
    this.#files = files;
    this.#find = find;
    this.#births = new ProcessBirths(files);
  }

  /** Threads whose counters are known. */
  get size(): number {
    return this.#threads.length;
  }

  /** Opens the threads of these processes that are not open yet. Called before the window. */
  open(pids: readonly number[]): void {
    this.#pids = pids;
    for (const pid of pids) {
      const folder = `/proc/${String(pid)}/task`;
      for (const tid of this.#files.list(folder)) this.#openThread(pid, tid, `${folder}/${tid}`);
    }
  }

  /** Returns when the window began, by `performance.now()`: what the instants are counted from. */
  start(): number {
    this.#log = new CounterLog();
    this.#ticks = 0;
    this.#costMs = 0;
    this.#readAll();
    this.#active = this.#busiest();
    this.#running = true;
    this.#timer = setInterval(() => {
      this.#tick();
    }, samplingMs).unref();
    this.#startedAtMs = performance.now();
    return this.#startedAtMs;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#running = false;
  }

  /** Every thread that was seen, the ended ones among them. */
  threads(): readonly KnownThread[] {
    return this.#threads.map(({ pid, tid, name, beganNs, lastNs }) => ({
      pid,
      tid,
      name,
      usedNs: lastNs - beganNs,
    }));
  }

  /** Returns the samples since `start`. */
  window(): SampledWindow {
    const steps = this.#log.steps().flatMap(({ atMs, thread, onCpuNs }) => {
      const of = this.#threads[thread];
      return of === undefined ? [] : [{ atMs, pid: of.pid, tid: of.tid, onCpuNs }];
    });
    return { instants: this.#log.instants(), steps, costMs: this.#costMs };
  }

  close(): void {
    this.stop();
    for (const thread of this.#threads) if (!thread.ended) closeSync(thread.fd);
    this.#threads.length = 0;
    this.#known.clear();
    this.#active = [];
  }

  #openThread(pid: number, tid: string, folder: string): void {
    if (this.#threads.length >= mostThreads || this.#known.has(folder)) return;
    const fd = openOrNull(`${folder}/schedstat`);
    if (fd === null) return;
    this.#known.add(folder);
    const born = this.#running;
    // A thread that starts in the window is read at once.
    const name = born ? '' : this.#nameOf({ pid, tid: Number(tid) });
    const counts = { openedNs: 0, beganNs: 0, lastNs: 0 };
    const thread = { pid, tid: Number(tid), fd, name, born, ...counts, ended: false };
    if (born) {
      this.#threads.push(thread);
      return;
    }
    const onCpuNs = this.#read(thread);
    this.#threads.push({ ...thread, openedNs: onCpuNs, beganNs: onCpuNs, lastNs: onCpuNs });
  }

  #nameOf({ pid, tid }: ThreadId): string {
    return (this.#files.read(`/proc/${String(pid)}/task/${String(tid)}/comm`) ?? '').trim();
  }

  #busiest(): number[] {
    const used = ({ openedNs, lastNs }: OpenThread): number => lastNs - openedNs;
    return Array.from(this.#threads.entries())
      .filter(([, thread]) => used(thread) > 0)
      .toSorted(([, a], [, b]) => used(b) - used(a))
      .slice(0, mostPerTick)
      .map(([index]) => index);
  }

  #tick(): void {
    const cpu = process.cpuUsage();
    this.#log.begin(performance.now() - this.#startedAtMs);
    this.#ticks += 1;
    if (this.#ticks % ticksPerRound === 0) this.#lookRound();
    else {
      if (this.#pids.length <= fewProcesses) this.#openBorn();
      for (const index of this.#active) this.#note(index);
    }
    this.#costMs += cpuMsSince(cpu);
  }

  /** A thread that has just started counts as busy. */
  #openBorn(): void {
    const before = this.#threads.length;
    this.open(this.#pids);
    for (let index = before; index < this.#threads.length; index += 1) {
      if (this.#active.length < mostPerTick) this.#active.push(index);
    }
  }

  #lookRound(): void {
    this.open(this.#births.any() ? (this.#find?.() ?? this.#pids) : this.#pids);
    for (let index = 0; index < this.#threads.length; index += 1) {
      const risen = this.#note(index);
      const more = risen && this.#active.length < mostPerTick;
      if (more && !this.#active.includes(index)) this.#active.push(index);
    }
  }

  #readAll(): void {
    for (const thread of this.#threads) {
      thread.lastNs = this.#read(thread);
      thread.beganNs = thread.lastNs;
    }
  }

  #note(index: number): boolean {
    const thread = this.#threads[index];
    if (thread === undefined) return false;
    const onCpuNs = this.#read(thread);
    if (onCpuNs <= thread.lastNs) return false;
    thread.lastNs = onCpuNs;
    // A thread takes its name after it has begun.
    if (thread.born) thread.name = this.#nameOf(thread) || thread.name;
    this.#log.add(index, onCpuNs);
    return true;
  }

  /** Time on CPU; of a thread that has ended, what was read last. */
  #read(thread: OpenThread): number {
    if (thread.ended) return thread.lastNs;
    try {
      // Position 0 makes the kernel write the file again on the same descriptor.
      const length = readSync(thread.fd, this.#bytes, 0, this.#bytes.length, 0);
      return length === 0 ? thread.lastNs : leadingNumber(this.#bytes);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      thread.ended = true;
      closeSync(thread.fd);
      return thread.lastNs;
    }
  }
}

/** Null when the thread is gone, or this process may open no more files. */
function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    const full = error instanceof Error && 'code' in error && error.code === 'EMFILE';
    if (full || isAbsent(error)) return null;
    throw error;
  }
}

/** The first of the three numbers of a schedstat line; exact below 2^53, which is 104 days. */
function leadingNumber(bytes: Buffer): number {
  let value = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const digit = (bytes[index] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return value;
}

/** An entry of the log, with the index of its thread. */
interface LogEntry {
  readonly atMs: number;
  readonly thread: number;
  readonly onCpuNs: number;
}

/** The readings of a sampler, in typed arrays, which make no garbage and double when they are full. */
class CounterLog {
  #instants = new Float64Array(256);
  #ticks = 0;
  /** Three numbers for each entry: tick, thread, nanoseconds. */
  #entries = new Float64Array(3 * 1024);
  #length = 0;

  begin(atMs: number): void {
    if (this.#ticks === this.#instants.length) this.#instants = doubled(this.#instants);
    this.#instants[this.#ticks] = atMs;
    this.#ticks += 1;
  }

  add(thread: number, onCpuNs: number): void {
    if (this.#length === this.#entries.length) this.#entries = doubled(this.#entries);
    this.#entries[this.#length] = this.#ticks - 1;
    this.#entries[this.#length + 1] = thread;
    this.#entries[this.#length + 2] = onCpuNs;
    this.#length += 3;
  }

  instants(): readonly number[] {
    return [...this.#instants.subarray(0, this.#ticks)];
  }

  steps(): readonly LogEntry[] {
    return Array.from({ length: this.#length / 3 }, (_, index) => {
      const [tick = 0, thread = 0, onCpuNs = 0] = this.#entries.subarray(3 * index, 3 * index + 3);
      return { atMs: this.#instants[tick] ?? 0, thread, onCpuNs };
    });
  }
}

function doubled(full: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * full.length);
  larger.set(full);
  return larger;
}
