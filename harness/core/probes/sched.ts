import { errorText } from '../errors.ts';
import { cpus } from 'node:os';
import type { ScheduleReading } from '../model/reading.ts';
import {
  type AttachedProbe,
  cpuMsSince,
  type Probe,
  type Support,
  type WatchedSession,
} from './probe.ts';
import { type Engine, findEngine, processName } from './processes.ts';
import { parseCmdline } from '../procfs.ts';
import { ScheduleBuilder, type SessionThread } from './schedule.ts';
import { realFiles, type SystemFiles } from '../system-files.ts';
import { TraceInstance } from './tracefs/instance.ts';
import { firstWords, mountTracefs } from './tracefs/mounting.ts';
import { isEventLine, parseTraceLine } from './tracefs/trace.ts';

export interface SchedHost {
  readonly platform: NodeJS.Platform;
  /** Undefined where users have no numbers. */
  readonly userId: number | undefined;
  readonly files: SystemFiles;
  /** Checks that the tracepoints can be used, and leaves nothing behind. @throws with the reason if not. */
  readonly tryTracepoints: () => void;
}

const thisHost: SchedHost = {
  platform: process.platform,
  userId: process.getuid?.(),
  files: realFiles,
  tryTracepoints,
};

/**
 * The exact schedule: which thread was on which core from when to when, from the kernel's own
 * tracepoints. It is not among the probes that watch every trial, because every switch of every
 * program on the machine then takes its core a little longer.
 */
export function createSchedProbe(host: SchedHost = thisHost): Probe {
  let known: Support | null = null;
  return {
    name: 'sched',
    // Asked once, because the check mounts tracefs.
    supports: () => (known ??= supportsTracepoints(host)),
    attach: (session) => new ScheduleWatch(session, host.files),
  };
}

function supportsTracepoints(host: SchedHost): Support {
  const obstacle = findObstacle(host);
  if (obstacle !== null) return { supported: false, because: obstacle };
  try {
    host.tryTracepoints();
    return { supported: true };
  } catch (error) {
    const why = errorText(error);
    return { supported: false, because: `the scheduler's tracepoints cannot be used here: ${why}` };
  }
}

function findObstacle({ platform, userId, files }: SchedHost): string | null {
  if (platform !== 'linux') {
    return `the schedule comes from tracepoints of Linux, and this is ${platform}`;
  }
  if (userId !== 0) return 'only root may use the tracepoints of the scheduler';
  const known = files.read('/proc/filesystems') ?? '';
  if (/\ttracefs$/m.test(known)) return null;
  return 'this kernel has no tracefs (it was built without CONFIG_TRACING)';
}

function tryTracepoints(): void {
  const mounted = mountTracefs();
  try {
    const event = `${mounted.path}/events/sched/sched_switch/enable`;
    if (realFiles.read(event) === null) throw new Error('there is no event sched_switch');
  } catch (error) {
    throw new Error(firstWords(error), { cause: error });
  } finally {
    mounted.release();
  }
}

interface TracedWindow {
  readonly fromNs: bigint;
  readonly toNs: bigint;
  readonly costMs: number;
}

/**
 * Only a switch is flipped at either end of the window. Threads are listed during the warm-up and
 * when all is over; those that lived between are known as children of one that is known.
 */
class ScheduleWatch implements AttachedProbe {
  readonly #session: WatchedSession;
  readonly #files: SystemFiles;
  readonly #engine: Engine | null;
  readonly #threads = new Map<number, SessionThread>();
  readonly #instance: TraceInstance;
  #began: { readonly atNs: bigint; readonly costMs: number } | null = null;
  #window: TracedWindow | null = null;

  constructor(session: WatchedSession, files: SystemFiles) {
    this.#session = session;
    this.#files = files;
    this.#engine = findEngine(session.browser);
    this.#listThreads();
    this.#instance = new TraceInstance(cpus().length);
  }

  start(): void {
    const cpu = process.cpuUsage();
    this.#window = null;
    this.#instance.start();
    this.#began = { costMs: cpuMsSince(cpu), atNs: process.hrtime.bigint() };
  }

  stop(): void {
    const toNs = process.hrtime.bigint();
    const cpu = process.cpuUsage();
    this.#instance.stop();
    if (this.#began === null) throw new Error('sched: stop() comes after start()');
    const { atNs: fromNs, costMs } = this.#began;
    this.#window = { fromNs, toNs, costMs: costMs + cpuMsSince(cpu) };
  }

  collect(): ScheduleReading {
    if (this.#window === null) throw new Error('sched: collect() comes after stop()');
    const { fromNs, toNs, costMs } = this.#window;
    this.#listThreads();
    const cores = cpus().length;
    const builder = new ScheduleBuilder({
      fromUs: Number(fromNs) / 1e3,
      toUs: Number(toNs) / 1e3,
      cores,
      engine: this.#engine,
      threads: this.#threads,
    });
    for (const line of this.#instance.lines()) {
      if (isEventLine(line)) builder.add(parseTraceLine(line));
    }
    const schedule = builder.finish(this.#instance.lostByCore(cores));
    return { probe: 'sched', wallMs: Number(toNs - fromNs) / 1e6, costMs, ...schedule };
  }

  detach(): void {
    this.#instance.close();
  }

  #listThreads(): void {
    for (const pid of this.#session.processTree()) {
      const folder = `/proc/${String(pid)}`;
      const argv = parseCmdline(this.#files.read(`${folder}/cmdline`) ?? '');
      const thread = { pid, process: processName(this.#engine, argv) };
      for (const tid of this.#files.list(`${folder}/task`)) this.#threads.set(Number(tid), thread);
    }
  }
}
