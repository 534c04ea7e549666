/**
 * What a report is given. A report is a pure function of it: no store, no clock, no disk.
 * Every string that came from a page, a browser or a device is hostile until `html/` escaped it.
 */

export type { RebuiltCell, RebuiltGroup, RebuiltTable } from './rebuilt-findings.ts';
export type {
  AssertionFacts,
  CounterfactualFacts,
  EvidenceFindings,
  Measured,
} from './evidence-findings.ts';

import type { RebuiltTable } from './rebuilt-findings.ts';

export interface Findings {
  readonly title: string;
  /** ISO 8601; the date is an argument, so that golden files do not change. */
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly runs: readonly RunFacts[];
  readonly targets: readonly TargetFacts[];
  readonly benchmarks: readonly BenchmarkFacts[];
  /** One row for each case × metric, in the order of the suite. */
  readonly rows: readonly CaseRow[];
  /** What is said of the differences in those rows: no other part of a report claims one. */
  readonly verdicts: Verdicts;
  readonly growth: readonly GrowthChart[];
  /** One for each benchmark that declares a crossover, and each combination of the other parameters. */
  readonly crossover: readonly CrossoverChart[];
  /** One for each benchmark whose metric should equal a parameter, and each combination of the others. */
  readonly truth: readonly TruthChart[];
  /** Tables that others published, made anew from this run; absent when it has none of their cases. */
  readonly rebuilt?: readonly RebuiltTable[];
  /** One entry for each case × target that has CPU readings. */
  readonly cpu: readonly CpuFacts[];
  /** Trials that failed, timed out or were skipped; equal ones are counted together. */
  readonly troubles: readonly Trouble[];
  /** Things that a reader must know before believing a number, such as isolation `page`. */
  readonly cautions: readonly string[];
}

export interface RunFacts {
  readonly id: number;
  readonly suite: string;
  readonly seed: number;
  readonly isolation: 'session' | 'page';
  readonly blocks: number;
  readonly command: string;
  readonly status: 'running' | 'finished' | 'interrupted';
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly cells: {
    readonly planned: number;
    readonly completed: number;
    readonly failed: number;
    readonly timedOut: number;
    readonly skipped: number;
  };
  /** Facts of the machine, as label and text, in display order. */
  readonly machine: readonly Fact[];
  /** What was seen of the environment over all trials (load, pressure, foreign CPU …). */
  readonly environment: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  readonly text: string;
}

export interface TargetFacts {
  /** Device id. */
  readonly id: string;
  readonly name: string;
  readonly status: 'found' | 'missing';
  readonly driver: string;
  readonly browser: { readonly name: string; readonly version: string } | null;
  /** For a missing device. */
  readonly reason?: string;
  readonly remedy?: string;
  /** Clock granule, isolation, what it says of its cores, abilities that are missing and why. */
  readonly notes: readonly Fact[];
  /** What its driver changes: the same build without automation, where the run has it, is the control. */
  readonly againstOpen?: {
    readonly controlId: string;
    readonly cases: readonly DriverVerdict[];
  };
}

/** What a target is for one case, compared with its build without automation. */
export interface DriverVerdict extends Pick<
  PairVerdict,
  'verdict' | 'ratio' | 'low' | 'high' | 'blocks'
> {
  readonly caseName: string;
}

export interface BenchmarkFacts {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
}

export interface CaseRow {
  /** Canonical name; the same in `CpuFacts.caseName`. */
  readonly caseName: string;
  readonly benchmark: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly metric: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
  readonly cells: readonly Cell[];
  /** The command that repeats this case. */
  readonly command: string;
}

/** One case on one target. A cell without trials says why; it is never shown as zero. */
export type Cell =
  | {
      readonly kind: 'measured';
      readonly targetId: string;
      /** Median over trials of the trial's own median. */
      readonly median: number;
      readonly low: number;
      readonly high: number;
      /** Coverage that the interval really has, 0–1; below 0.95 with few trials. */
      readonly confidence: number;
      readonly trials: number;
      /** Each trial's value, in block order. */
      readonly values: readonly number[];
      /** Largest step that the clock and the repeats leave, in the row's unit: no digit below it is shown. */
      readonly resolution: number;
      /** Trials that never became steady, by label. */
      readonly unsteady: readonly { readonly label: string; readonly trials: number }[];
      /** Trials that are kept but not counted, because of the machine's state; absent when none. */
      readonly quarantined?: number;
    }
  | { readonly kind: 'missing'; readonly targetId: string; readonly why: string };

/** The sequential verdicts of the run, with what they hold for. */
export interface Verdicts {
  /** The target that all others are set against; null when none was found. */
  readonly baselineTargetId: string | null;
  /** Share within which a difference does not matter: 0.02 is a ratio within 1/1.02 … 1.02. */
  readonly margin: number;
  /** Probability of a wrong verdict, over all looks; of a wrong difference in the table, by e-BH. */
  readonly alpha: number;
  /** No verdict is possible with fewer blocks. */
  readonly smallestBlocks: number;
  /** Every pair that has a block in common. */
  readonly pairs: readonly PairVerdict[];
  /** Of a run that compared one pair: how the interval closed, block by block. */
  readonly course: Course | null;
}

/** A case on a target. */
export interface Side {
  readonly targetId: string;
  readonly caseName: string;
}

/** What `a` is, compared with the baseline `b`. */
export interface PairVerdict {
  readonly a: Side;
  readonly b: Side;
  readonly metric: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
  readonly verdict: 'faster' | 'slower' | 'equivalent' | 'undecided';
  /** a / b: ratio of the geometric means over the common blocks. */
  readonly ratio: number;
  /** Bounds of it that hold at every look at once; null before there are enough blocks. */
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
  /** The interval excludes 1. */
  readonly significant: boolean;
  /** All of it lies beyond the margin. */
  readonly relevant: boolean;
  /** The difference also stands among all comparisons of the table (e-BH). */
  readonly discovery: boolean;
  /** Only for `undecided`. */
  readonly because: 'too-few-blocks' | 'too-wide' | 'no-constant-ratio' | null;
  /** About how many more blocks would decide it; null when none can be expected to, or it is decided. */
  readonly moreBlocks: number | null;
}

/** Blocks are numbered from 1 here: the first, the second … that both sides completed. */
export interface Course {
  /** a / b of each block. */
  readonly ratios: readonly number[];
  /** The running interval after so many blocks; none before `smallestBlocks`, or once it is empty. */
  readonly looks: readonly {
    readonly blocks: number;
    readonly low: number;
    readonly high: number;
  }[];
}

/** One metric over one integer parameter, a curve for each target × value of `by`. */
export interface GrowthChart {
  readonly benchmark: string;
  readonly title: string;
  readonly metric: string;
  readonly unit: string;
  readonly over: string;
  readonly by: string;
  /** Values of all other parameters, for the caption. */
  readonly fixed: string;
  readonly points: readonly {
    readonly targetId: string;
    readonly by: string;
    readonly x: number;
    readonly y: number;
    readonly low: number;
    readonly high: number;
  }[];
  /** Growth per step of every curve of at least three points. */
  readonly fits: readonly GrowthFit[];
  /** What theory says of the growth per step, by value of `by`; empty when the benchmark declares none. */
  readonly theory: readonly GrowthTheory[];
}

export interface GrowthTheory {
  readonly by: string;
  readonly perStep: number;
  /** Name of that number, such as φ. */
  readonly label: string;
}

/** Factor by which the metric grows when the parameter grows by 1, by least squares of its logarithm. */
export interface GrowthFit {
  readonly targetId: string;
  readonly by: string;
  readonly perStep: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  readonly points: number;
}

/** From which amount of work on each value of a parameter beats its base, such as workers no worker. */
export interface CrossoverChart {
  readonly title: string;
  readonly metric: string;
  /** The parameter that is the amount of work. */
  readonly over: string;
  readonly by: string;
  /** The value of `by` that all others are set against. */
  readonly base: string;
  /** Values of all other parameters, for the caption. */
  readonly fixed: string;
  /** y is the metric over that of the base, block by block: the median and its interval. */
  readonly points: readonly {
    readonly targetId: string;
    readonly by: string;
    readonly x: number;
    readonly y: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly crossings: readonly Crossing[];
}

export interface Crossing {
  readonly targetId: string;
  readonly by: string;
  /** Median over blocks, with its interval. */
  readonly at: CrossingPlace;
  readonly low: CrossingPlace;
  readonly high: CrossingPlace;
  /** Coverage that the interval really has, 0–1. */
  readonly confidence: number;
  readonly blocks: number;
  /** The amounts of work between which was measured. */
  readonly smallest: number;
  readonly largest: number;
}

/** An amount of work; or it wins already at the smallest one, or not even at the largest. */
export type CrossingPlace = number | 'always' | 'never';

/** What was recorded against what is true, for a benchmark of known lengths. */
export interface TruthChart {
  readonly title: string;
  readonly metric: string;
  /** Of `recorded` and `expected` alike. */
  readonly unit: string;
  /** The parameter that is the truth. */
  readonly parameter: string;
  /** Values of all other parameters, for the caption. */
  readonly fixed: string;
  readonly points: readonly {
    readonly targetId: string;
    readonly expected: number;
    /** Median over trials, with its interval. */
    readonly recorded: number;
    readonly low: number;
    readonly high: number;
    readonly trials: number;
    readonly resolution: number;
  }[];
}

/** The iterations of one trial, in order: how its warm-up went and why it ended. */
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
  readonly steadiness: string;
  /** Operations in one timed iteration (k). */
  readonly repeats: number;
  readonly granuleUs: number;
  /** Granule over k, in the metric's unit. */
  readonly resolution: number;
  /** What the rule looked at: the last iterations before the window, in two halves; null with fewer than six. */
  readonly judged: {
    readonly iterations: number;
    readonly older: number;
    readonly newer: number;
    /** newer / older − 1. */
    readonly change: number;
    /** Largest change that counts as none. */
    readonly tolerance: number;
    /** Kendall's τ against time: 1 is strictly rising. */
    readonly trend: number;
  } | null;
}

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
  /** The trace beside the trial, when the trace probe was on; absent otherwise. */
  readonly trace?: TraceFacts | { readonly notSupported: string };
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

export interface Trouble {
  readonly kind: 'failed' | 'timed-out' | 'skipped';
  readonly targetId: string;
  readonly caseName: string;
  readonly trials: number;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}
