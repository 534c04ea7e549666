/** One trial: the part of `index.ts` that is drawn on a separate page. */
import type { CpuFacts, ProbeValue } from './cpu.ts';

/** The iterations of one trial, in order: how its speed went until the end of the window. */
export interface WarmUpFacts {
  readonly title: string;
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly run: number;
  readonly caseName: string;
  readonly target: { readonly id: string; readonly name: string; readonly browser: string };
  readonly block: number;
  /** Why this trial: it was asked for, or it is the least steady one. */
  readonly chosen: string;
  readonly metric: string;
  readonly unit: string;
  /** Of one operation in each iteration before the timed window, from the very first call on. */
  readonly warmUp: readonly number[];
  readonly timed: readonly number[];
  /** Its class; of older trials the label that they were given. */
  readonly steadiness: string;
  /** Result of the search for steady state; null without one: in older trials, and of first runs. */
  readonly course: TrialCourse | null;
  /** The value of the trial in all statistics. */
  readonly value: {
    readonly kind: 'mean' | 'median';
    readonly value: number;
    readonly median: number;
    /** Of the iterations that count, in which others had the core of their thread: not in the value. */
    readonly preemptedMs: number;
    /** Iterations that do not count, because the machine ran slower than it can. */
    readonly disturbed: number;
  };
  /** Operations in one timed iteration (k). */
  readonly repeats: number;
  readonly granuleUs: number;
  /** Granule over k, in the metric's unit. */
  readonly resolution: number;
}

/** Times are in milliseconds since the first call began. */
export interface TrialCourse {
  readonly firstMs: number;
  /** When the segment began that holds the window; null without a steady state. */
  readonly steadyAfterMs: number | null;
  readonly noisy: boolean;
  readonly windowAtMs: number;
  /** Indices in `timed` of the iterations that do not count: the machine ran slower than it can. */
  readonly disturbed: readonly number[];
  /** When each iteration ended: those of the warm-up, then the timed ones. */
  readonly endMs: readonly number[];
  /** Stretches of one speed, in order; `level` is of one operation, in the metric's unit. */
  readonly segments: readonly {
    readonly fromMs: number;
    readonly toMs: number;
    readonly level: number;
  }[];
}

/** One trial, completed or not, with all its stored facts. */
export interface TrialFacts {
  /** Number of the trial in its database. */
  readonly trial: number;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly run: number;
  readonly caseName: string;
  readonly target: { readonly id: string; readonly name: string; readonly browser: string };
  readonly block: number;
  readonly outcome: 'completed' | 'failed' | 'timed-out' | 'skipped';
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly wallMs: number;
  /** Observations when it failed, or the reason why it was skipped; null for a completed one. */
  readonly message: string | null;
  /** Disturbances during it; empty when there were none. */
  readonly quarantine: readonly string[];
  /** Attempts that failed before it. */
  readonly attempts: readonly {
    readonly number: number;
    readonly code: string;
    readonly message: string;
  }[];
  /** Every metric that it gave. */
  readonly values: readonly {
    readonly metric: string;
    readonly unit: string;
    /** Null when nothing was timed. */
    readonly value: number | null;
    readonly resolution: number;
    readonly iterations: number;
  }[];
  /** How the browser explains its values; empty where it does not. */
  readonly explained: readonly ProbeValue[];
  /** How it came to its speed; null for one that did not complete. */
  readonly warmUp: WarmUpFacts | null;
  /** Empty where no probe watched its cores and threads. */
  readonly cpu: readonly CpuFacts[];
  /** Other load on the machine; null if not asked. */
  readonly environment: TrialEnvironment | null;
  /** Addresses of the server that shows it: its run, its case, its page. */
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** Null is a value that the machine does not show. Shares are 0–1. */
export interface TrialEnvironment {
  readonly load1: number | null;
  readonly cpuPressure: number | null;
  readonly freeMemoryBytes: number | null;
  readonly governor: string | null;
  readonly frequencyMhz: number | null;
  readonly foreignShare: number | null;
  readonly stealShare: number | null;
  readonly throttleEvents: number | null;
}
