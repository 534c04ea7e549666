/** What the probes give for one trial. Durations are in milliseconds unless the name says otherwise. */

export type ProbeName = 'cpu-core' | 'cpu-thread' | 'environment';

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

export interface ThreadReading {
  readonly probe: 'cpu-thread';
  readonly wallMs: number;
  /** Threads of the session's process tree that used CPU inside the window. */
  readonly threads: readonly ThreadTotal[];
  readonly costMs: number;
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
  /** Share of the same time that the hypervisor took, 0–1. */
  readonly stealShare: number | null;
  /** How often the processor slowed a core down because it was too hot, over the same time. */
  readonly throttleEvents: number | null;
  readonly costMs: number;
}

export interface NotSupported {
  readonly probe: ProbeName;
  readonly notSupported: string;
}

export type Reading = CoreReading | ThreadReading | EnvironmentReading | NotSupported;
