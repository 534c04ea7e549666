import type { Standstill } from '../model/reading.ts';
import { parseCmdline, type PidStat } from '../procfs.ts';
import { clockTicksPerSecond, type SystemFiles } from '../system-files.ts';
import type { WatchedSession } from './probe.ts';
import { ProcessBirths, readProcessTimes, type ProcessTimes } from './process-times.ts';
import { findEngine, processName } from './processes.ts';

/**
 * How often the processes are looked at: for the 11 of a Chromium a look takes 0.3 ms. It differs
 * from the common intervals of page timers, so that a page which wakes up shortly is not met awake
 * each time.
 */
const intervalMs = 237;

/** A process that used more of the time between two looks was at work: one tick of 10 ms says nothing. */
const mostCpu = 0.05;

/** Stopped by a signal, or by a debugger. */
const isStopped = ({ state }: PidStat): boolean => state === 'T' || state === 't';

/** Ready to run: a process that is found so twice, and did not run in between, had no core. */
const isReady = ({ state }: PidStat): boolean => state === 'R';

interface Look {
  readonly atMs: number;
  readonly processes: ProcessTimes;
}

/**
 * Adds up for how long a process of the session stood still inside the window: it was stopped, or it
 * was ready to run and got next to no core. A page that waits, for a timer, the network or another
 * process, sleeps: by its state the kernel tells it from one that is kept from running.
 */
export class StandstillWatch {
  readonly #files: SystemFiles;
  readonly #session: WatchedSession;
  readonly #now: () => number;
  readonly #births: ProcessBirths;
  readonly #msPerTick = 1000 / clockTicksPerSecond();
  #pids: readonly number[];
  #last: Look | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #stood = new Map<number, Omit<Standstill, 'process'>>();

  constructor(
    session: WatchedSession,
    files: SystemFiles,
    now: () => number = () => performance.now(),
  ) {
    this.#session = session;
    this.#files = files;
    this.#now = now;
    this.#births = new ProcessBirths(files);
    this.#pids = session.processTree();
  }

  start(): void {
    this.#stood.clear();
    this.#last = null;
    this.look();
    this.#timer ??= setInterval(() => {
      this.look();
    }, intervalMs).unref();
  }

  stop(): void {
    this.look();
    this.detach();
  }

  detach(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  look(): void {
    if (this.#births.any()) this.#pids = this.#session.processTree();
    const look = { atMs: this.#now(), processes: readProcessTimes(this.#files, this.#pids) };
    const last = this.#last;
    this.#last = look;
    if (last === null) return;
    for (const now of look.processes.values()) {
      const then = last.processes.get(now.pid);
      if (then?.startTick === now.startTick) this.#compare(then, now, look.atMs - last.atMs);
    }
  }

  /** The process that stood still for longest; null when none did. */
  longest(): Standstill | null {
    const total = ({ stoppedMs, starvedMs }: Omit<Standstill, 'process'>): number =>
      stoppedMs + starvedMs;
    const [worst] = [...this.#stood].toSorted(([, one], [, other]) => total(other) - total(one));
    if (worst === undefined) return null;
    const [pid, stood] = worst;
    const argv = parseCmdline(this.#files.read(`/proc/${String(pid)}/cmdline`) ?? '');
    return { process: processName(findEngine(this.#session.browser), argv), ...stood };
  }

  #compare(then: PidStat, now: PidStat, passedMs: number): void {
    const cpuMs = (now.ownTicks - then.ownTicks) * this.#msPerTick;
    if (cpuMs > Math.max(mostCpu * passedMs, this.#msPerTick)) return;
    const { stoppedMs, starvedMs } = this.#stood.get(now.pid) ?? { stoppedMs: 0, starvedMs: 0 };
    // A look that finds it stopped once means a real stop, which began or ended in between.
    if (isStopped(then) || isStopped(now)) {
      this.#stood.set(now.pid, { stoppedMs: stoppedMs + passedMs, starvedMs });
    } else if (isReady(then) && isReady(now)) {
      this.#stood.set(now.pid, { stoppedMs, starvedMs: starvedMs + passedMs });
    }
  }
}
