import { sum } from 'simple-statistics';
import { z } from 'zod';
import { mainThreadWait } from '../model/reading.ts';
import { parseAllowedCores, parseCmdline, parseSchedstat, parseStat } from '../procfs.ts';
import { clockTicksPerSecond, realFiles, type SystemFiles } from '../system-files.ts';
import { supportsSchedstat } from './cpu-thread.ts';
import { declareProbe, type ValueWatch } from './declare-probe.ts';
import { cpuMsSince, type RegisteredProbe, type WatchedSession } from './probe.ts';
import { ProcessBirths, readProcessTimes } from './process-times.ts';
import { findEngine, processName } from './processes.ts';
import { findRole } from './roles.ts';

/**
 * How often the counters are read. With a program that took a whole core of two, the wait of a
 * duration of 20 ms was known well enough to bring the spread of that duration from 24 % to 7 … 10
 * % with readings 2 to 20 ms apart, and the spread of one of 300 ms from 17 % to 4 %; on a quiet
 * machine these were 5 % and 3 %.
 */
const intervalMs = 10;

/**
 * Every how many of these the time of all cores and of the browser's processes is read: it is counted in
 * ticks of 10 ms, and takes 0.3 ms to read for the 11 processes of a Chromium.
 */
const readingsPerShare = 10;

/** From here on every other reading is dropped, and new ones are as far apart: 40 s at first. */
const mostReadings = 4_000;

const series = z.array(z.number().min(0));

const values = {
  at: { title: 'Read at, since 1970', unit: 'ms', schema: series },
  waited: { title: 'Waited for a core by then', unit: 'ms', schema: series },
  ran: { title: 'Was on a core by then', unit: 'ms', schema: series },
  sharedAt: { title: 'Cores read at, since 1970', unit: 'ms', schema: series },
  busy: { title: 'Its cores busy by then', unit: 'ms', schema: series },
  browser: { title: 'The browser on a core by then', unit: 'ms', schema: series },
};

/**
 * How long the page's main thread was ready to run and had no core, and how long it ran, through the
 * window: the kernel's own counters of the main thread that ran most. And who had the cores that it may
 * run on: the whole browser, and all programs together.
 */
export function createMainThreadWaitProbe(
  files: SystemFiles = realFiles,
  platform: NodeJS.Platform = process.platform,
): RegisteredProbe {
  return declareProbe({
    name: mainThreadWait,
    onRequest: 'waits for a core',
    values,
    supports: () => supportsSchedstat(platform, files),
    attach: (session) => new WaitWatch(session, files),
  });
}

interface MainThread {
  readonly path: string;
  readonly waited: number[];
  readonly ran: number[];
}

class WaitWatch implements ValueWatch<typeof values> {
  readonly #files: SystemFiles;
  readonly #msPerTick = 1000 / clockTicksPerSecond();
  readonly #session: WatchedSession;
  readonly #births: ProcessBirths;
  /** Of every process that may have the page. */
  readonly #threads: MainThread[] = [];
  /** Those that the page may run on. Other programs elsewhere do not delay it. */
  #cores: ReadonlySet<number> = new Set();
  /** Of each process of the browser, its time when it was read last, in ticks. */
  readonly #used = new Map<number, number>();
  readonly #at: number[] = [];
  readonly #sharedAt: number[] = [];
  readonly #busy: number[] = [];
  readonly #browser: number[] = [];
  #every = 1;
  #ticks = 0;
  #timer: NodeJS.Timeout | null = null;
  #cpuAtStart = process.cpuUsage();
  #costMs = 0;

  constructor(session: WatchedSession, files: SystemFiles) {
    this.#files = files;
    this.#session = session;
    this.#births = new ProcessBirths(files);
    this.#find();
  }

  /** Takes in the processes that are not known yet: for some navigations a browser begins one. */
  #find(): void {
    const engine = findEngine(this.#session.browser);
    const joined = this.#session.processTree().filter((pid) => !this.#used.has(pid));
    for (const pid of joined) this.#used.set(pid, 0);
    const pages = joined.filter((pid) => {
      const argv = parseCmdline(this.#files.read(`/proc/${String(pid)}/cmdline`) ?? '');
      const seen = { pid, tid: pid, process: processName(engine, argv), name: '' };
      return findRole(engine, seen) === 'js-main';
    });
    const of = (pid: number, file: string): string => `/proc/${String(pid)}/${file}`;
    for (const pid of pages) this.#threads.push(this.#begin(of(pid, 'schedstat')));
    const [status] = pages.flatMap((pid) => this.#files.read(of(pid, 'status')) ?? []);
    if (status !== undefined) this.#cores = new Set(parseAllowedCores(status));
  }

  /** A thread with its past: it began after the last look, and has grown evenly since then. */
  #begin(path: string): MainThread {
    const counted = parseSchedstat(this.#files.read(path) ?? '0 0 0');
    const since = this.#sharedAt.at(-1) ?? Infinity;
    const [first = 0] = this.#at.filter((ms) => ms >= since);
    const span = performance.timeOrigin + performance.now() - first;
    const past = (ns: number): number[] =>
      this.#at.map((ms) => (ms < first ? 0 : ((ns / 1e6) * (ms - first)) / span));
    return { path, waited: past(counted.waitingNs), ran: past(counted.onCpuNs) };
  }

  start(): void {
    this.#cpuAtStart = process.cpuUsage();
    this.#readShared();
    this.#readThreads();
    this.#timer = setInterval(() => {
      this.#ticks += 1;
      if (this.#ticks % this.#every === 0) this.#readThreads();
      if (this.#ticks % (this.#every * readingsPerShare) === 0) this.#readShared();
    }, intervalMs).unref();
  }

  stop(): void {
    this.#readShared();
    this.#readThreads();
    this.#costMs = cpuMsSince(this.#cpuAtStart);
    this.detach();
  }

  collect(): ReturnType<ValueWatch<typeof values>['collect']> {
    const grown = ({ ran }: MainThread): number => (ran.at(-1) ?? 0) - (ran[0] ?? 0);
    const [page] = this.#threads.toSorted((one, other) => grown(other) - grown(one));
    const { waited = [], ran = [] } = page ?? {};
    return {
      values: {
        at: page ? this.#at : [],
        waited,
        ran,
        sharedAt: this.#sharedAt,
        busy: this.#busy,
        browser: this.#browser,
      },
      costMs: this.#costMs,
    };
  }

  detach(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #readThreads(): void {
    this.#at.push(performance.timeOrigin + performance.now());
    for (const { path, waited, ran } of this.#threads) {
      const text = this.#files.read(path);
      const counted = text === null ? null : parseSchedstat(text);
      // A process that has ended stands still.
      waited.push(counted === null ? (waited.at(-1) ?? 0) : counted.waitingNs / 1e6);
      ran.push(counted === null ? (ran.at(-1) ?? 0) : counted.onCpuNs / 1e6);
    }
    if (this.#at.length >= mostReadings) this.#thinOut();
  }

  #readShared(): void {
    if (this.#births.any()) this.#find();
    this.#sharedAt.push(performance.timeOrigin + performance.now());
    const cores = parseStat(this.#files.read('/proc/stat') ?? '').filter(
      ({ core }) => this.#cores.size === 0 || this.#cores.has(core),
    );
    this.#busy.push(this.#msPerTick * sum(cores.map(({ busy }) => busy)));
    for (const [pid, { ownTicks }] of readProcessTimes(this.#files, [...this.#used.keys()])) {
      this.#used.set(pid, ownTicks);
    }
    this.#browser.push(this.#msPerTick * sum([...this.#used.values()]));
  }

  #thinOut(): void {
    const ofThreads = this.#threads.flatMap(({ waited, ran }) => [waited, ran]);
    for (const list of [this.#at, ...ofThreads, this.#sharedAt, this.#busy, this.#browser]) {
      list.splice(0, list.length, ...list.filter((_, index) => index % 2 === 0));
    }
    this.#every *= 2;
  }
}
