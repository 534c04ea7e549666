/** Readings of one trial. Durations are in milliseconds unless the name says otherwise. */

/** Probes whose readings have types and tables of their own, because figures are drawn from them. */
export const builtInProbes = ['cpu-core', 'cpu-thread', 'environment', 'sched', 'trace'] as const;

export type BuiltInProbe = (typeof builtInProbes)[number];

/** The name of any other probe: one that declares its values (`harness/probes/declare-probe.ts`). */
export type DeclaredProbe = string & { readonly declared: true };

export type ProbeName = BuiltInProbe | DeclaredProbe;

/** Probes that watch a trial only on request: they slow down what they watch. */
export type OptInProbe = 'sched' | 'trace' | DeclaredProbe;

export function isDeclaredProbe(name: string): name is DeclaredProbe {
  return !builtInProbes.some((builtIn) => builtIn === name);
}

/** The probe of the page's main thread, which comparisons of versions of a page are made with. */
export const mainThreadWait = 'main-thread-wait' as DeclaredProbe;

/** Cumulative time of every core at one instant. */
export interface CoreSnapshot {
  /** Since the timed window began. */
  readonly atMs: number;
  /** Busy time of each core since the window began (user, nice, system, interrupts). */
  readonly busyMs: readonly number[];
  /** Time that the hypervisor took from each core since the window began. */
  readonly stealMs: readonly number[];
}

export interface CoreReading {
  readonly probe: 'cpu-core';
  readonly wallMs: number;
  readonly intervalMs: number;
  readonly snapshots: readonly CoreSnapshot[];
  /** CPU time that the probe itself used inside the window. */
  readonly costMs: number;
}

export type ThreadRole = 'js-main' | 'js-worker' | 'gc' | 'jit' | 'compositor' | 'io' | 'other';

export interface ThreadTotal {
  readonly pid: number;
  readonly tid: number;
  /** browser, renderer, gpu, network, content, web, … as the engine names its processes. */
  readonly process: string;
  /** The kernel cuts names at 15 characters. */
  readonly name: string;
  readonly role: ThreadRole;
  /** Exact time on CPU inside the window. */
  readonly cpuMs: number;
  /** Core that it last ran on. */
  readonly lastCore: number | null;
}

/** Cumulative CPU time of every role at one instant. A role that has used none yet is left out. */
export interface RoleSample {
  /** Since the timed window began. */
  readonly atMs: number;
  readonly cpuMs: Readonly<Partial<Record<ThreadRole, number>>>;
}

export interface ThreadReading {
  readonly probe: 'cpu-thread';
  readonly wallMs: number;
  /** Threads of the session's process tree that used CPU inside the window. */
  readonly threads: readonly ThreadTotal[];
  /**
   * Cumulative CPU time by role since the window began, sampled inside the window: never falling,
   * from zero on, the last sample at the window's end. Empty when it was too short to sample.
   */
  readonly timeline: readonly RoleSample[];
  /**
   * Of the JavaScript thread that ran most. It goes into the trial's result (`run/preemption.ts`), and is
   * not stored. Left out where the machine does not count it.
   */
  readonly wait?: ThreadWait;
  readonly costMs: number;
}

/** Above this share of a thread's time, other JavaScript threads did part of its work. */
export const spreadFrom = 0.1;

/** How long a thread ran, and how long it had to wait for a core, inside the window. */
export interface ThreadWait {
  readonly ranMs: number;
  /** It was ready to run, and had no core. */
  readonly waitedMs: number;
  /** What other JavaScript threads of its process ran, as a share of what it ran. */
  readonly spread: number;
}

/** A stretch of time in which one thread was on one core. */
export interface ScheduleSlice {
  /** Since the timed window began. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Role of the session's thread; `foreign` for any other process. */
  readonly role: ThreadRole | 'foreign';
  /** As the kernel has it, cut at 15 characters. */
  readonly thread: string;
  readonly tid: number;
}

/** The exact schedule, from the kernel's sched_switch events. */
export interface ScheduleReading {
  readonly probe: 'sched';
  readonly wallMs: number;
  readonly costMs: number;
  /** Time that the session's threads were on a core ÷ wall: exact, from every event that was seen. */
  readonly coresBusy: number;
  /** One lane per core, its slices in time order; idle is a gap. Bounded: see `lostEvents`. */
  readonly cores: readonly (readonly ScheduleSlice[])[];
  /**
   * Events that the kernel dropped or that could not be read, and slices that were left out to
   * stay within the bound (the shortest ones): 0 for a whole schedule.
   */
  readonly lostEvents: number;
}

export type TraceFormat = 'chrome-trace' | 'firefox-profile';

/** A trace that the browser wrote beside the trial. */
export interface TraceReading {
  readonly probe: 'trace';
  /** Relative to the folder of the database, with forward slashes: traces/run-7/<file>. */
  readonly file: string;
  readonly format: TraceFormat;
  /** Always 0: what tracing costs is spent inside the browser, and the file is written at its end. */
  readonly costMs: number;
}

/** The state of a phone, beside what every machine gives. A null is a value that it does not show. */
export interface PhoneFacts {
  /** Its clock (since its boot) minus this machine's (since its own), in milliseconds. */
  readonly clockOffsetMs: number;
  /** The offset is right give or take this; so are the edges of the timed window in its readings. */
  readonly clockErrorMs: number;
  /** Before the trial, 0–100. */
  readonly batteryPercent: number | null;
  /** It was on a cable, or another source of power. */
  readonly powered: boolean | null;
  readonly batteryCelsius: number | null;
  /** Android's, before the trial: 0 none, 1 light, … 6 shutdown. */
  readonly thermalStatus: number | null;
}

/** A program beside a trial that is neither the session's nor the farm's. */
export interface Neighbour {
  readonly name: string;
  /** How many of its processes there were. */
  readonly processes: number;
  /** Of the CPU time of the whole machine, 0–1. */
  readonly share: number;
}

/** How long a process of the browser was kept from running inside the window. */
export interface Standstill {
  readonly process: string;
  /** By a signal or a debugger. */
  readonly stoppedMs: number;
  /** It was ready to run, and had next to no core. */
  readonly starvedMs: number;
}

/** The state of the machine around one trial. A null is a value that this machine does not show. */
export interface EnvironmentReading {
  readonly probe: 'environment';
  readonly load1: number | null;
  /** Share of the last 10 s in which some task waited for a CPU, 0–1. */
  readonly cpuPressure: number | null;
  readonly freeMemoryBytes: number | null;
  readonly governor: string | null;
  readonly frequencyMhz: number | null;
  /**
   * Share of the machine's CPU time that neither the session nor the farm used, from the page's
   * warm-up to the end of its timed window, 0–1.
   */
  readonly foreignShare: number | null;
  /** Of the machine, where the trial is judged; not stored beside it. */
  readonly cores?: number;
  /** Who used most of it. Named where the trial is quarantined, and not stored beside that. */
  readonly neighbours?: readonly Neighbour[];
  /**
   * Of the process that stood still for longest, null when none did; left out where nobody looked.
   * Not stored beside the trial.
   */
  readonly standstill?: Standstill | null;
  /** Share of the same time that the hypervisor took, 0–1. */
  readonly stealShare: number | null;
  /** How often the processor slowed a core down because it was too hot, over the same time. */
  readonly throttleEvents: number | null;
  readonly costMs: number;
  /** Left out where the browser was on this machine. */
  readonly phone?: PhoneFacts;
}

/** A value with its title and unit, so that it can be shown where its probe is not known. */
export interface DeclaredValue {
  readonly title: string;
  /** Null for what has none. */
  readonly unit: string | null;
  readonly value: DeclaredContent;
}

/** A list has its numbers in the order of time. Null is a value that this machine does not show. */
export type DeclaredContent = number | string | readonly number[] | null;

/** Reading of a probe that declares its values. */
export interface DeclaredReading {
  readonly probe: DeclaredProbe;
  /** By the names that the probe gives them. */
  readonly values: Readonly<Record<string, DeclaredValue>>;
  readonly costMs: number;
}

export interface NotSupported {
  readonly probe: ProbeName;
  readonly notSupported: string;
}

/** A reading of a built-in probe. */
export type BuiltInReading =
  CoreReading | ThreadReading | EnvironmentReading | ScheduleReading | TraceReading;

export type Reading = BuiltInReading | DeclaredReading | NotSupported;
