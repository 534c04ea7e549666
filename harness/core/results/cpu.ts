/** Activity of cores and threads during a case: the part of `index.ts` that probes give. */

export interface CpuFacts {
  readonly caseName: string;
  readonly targetId: string;
  /** The trial that is drawn: its block. Chosen by rule: the one whose value is the median. */
  readonly block: number;
  readonly wallMs: number;
  readonly cores: CoreTimeline | { readonly notSupported: string };
  readonly threads: ThreadSummary | { readonly notSupported: string };
  /** Share of the machine's CPU used by others during the trial, 0–1; null when not seen. */
  readonly foreignShare: number | null;
  /** The exact schedule, when the sched probe was on; absent otherwise. */
  readonly schedule?: ScheduleFacts | { readonly notSupported: string };
  /** The trace of the trial, when the trace probe was on; absent otherwise. */
  readonly trace?: TraceFacts | { readonly notSupported: string };
  /** The values of all other probes; absent when none watched. */
  readonly others?: readonly ProbeFacts[];
}

/** Share of each core that was busy in each slice of the timed window. */
export interface CoreTimeline {
  readonly sliceMs: number;
  /** busy[core][slice], 0–1. */
  readonly busy: readonly (readonly number[])[];
  readonly costShare: number;
}

export interface ThreadSummary {
  /** Σ thread time / wall. */
  readonly coresBusy: number;
  /** Σ time of threads that run JavaScript / wall. */
  readonly javascriptParallelism: number;
  readonly gcShare: number;
  /** Milliseconds on CPU by role, largest first. */
  readonly roles: readonly { readonly role: string; readonly cpuMs: number }[];
  /** The busiest threads, largest first. */
  readonly threads: readonly {
    readonly process: string;
    readonly name: string;
    readonly role: string;
    readonly cpuMs: number;
  }[];
  /** CPU by role over the window. Null when the window was too short to sample. */
  readonly timeline: RoleTimeline | null;
}

/** How many cores each role kept busy in each slice of the timed window. */
export interface RoleTimeline {
  readonly sliceMs: number;
  /** `busy` has one number for each slice, in cores, ≥ 0: 1 is the whole of one core. */
  readonly roles: readonly { readonly role: string; readonly busy: readonly number[] }[];
}

/** Which thread was on which core when, from the kernel's own events. */
export interface ScheduleFacts {
  readonly wallMs: number;
  /** Σ time that the session's threads were on a core / wall: exact. */
  readonly coresBusy: number;
  /** Events that the kernel dropped, and slices left out to stay within a bound; 0 for a whole schedule. */
  readonly lostEvents: number;
  /** One lane per core, slices in time order; idle is a gap, and role `foreign` is any other process. */
  readonly cores: readonly (readonly ScheduleSpan[])[];
}

export interface ScheduleSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly role: string;
  readonly thread: string;
}

/** A file that the browser wrote. */
export interface TraceFacts {
  /** Relative to the folder of the database, with forward slashes. */
  readonly file: string;
  readonly format: 'chrome-trace' | 'firefox-profile';
}

/** The values that a probe gave, in its order, or why it gave none. */
export type ProbeFacts = { readonly probe: string } & (
  { readonly values: readonly ProbeValue[] } | { readonly notSupported: string }
);

export interface ProbeValue {
  readonly title: string;
  readonly unit: string | null;
  /** A pair holds the least and the most of many; null is a value that the machine does not show. */
  readonly value: number | string | null | readonly [least: number, most: number];
}
