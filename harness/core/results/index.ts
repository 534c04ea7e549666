import type {
  AskedFacts,
  AssertionFacts,
  ClaimFacts,
  CounterfactualFacts,
  FittingClaim,
  PartVerdict,
  RebuiltChart,
  RebuiltTable,
} from './claims.ts';
import type { BisectionFacts } from './bisection.ts';
import type { BlameFacts } from './blame.ts';
import type { CausalFacts } from './causal.ts';
import type { CpuFacts } from './cpu.ts';
import type { CrossoverChart, GrowthChart, TruthChart } from './curves.ts';
import type { ExplainedMeasure } from './explanations.ts';
import type { NightFacts, Trends } from './nights.ts';
import type { ProfileFindings } from './profiles.ts';
import type { CaseRow, CellFacts, Fact, TargetFacts, Trouble } from './rows.ts';
import type { SteadyFindings } from './steady-state.ts';
import type { PairVerdict, Verdicts, Verdict } from './verdicts.ts';
import type { TrialCourse } from './trial.ts';

/**
 * The results of a run: the input of a report, which is a pure function of it: no store, no clock,
 * no disk. Every string that came from a page, a browser or a device is hostile until `html/`
 * escaped it.
 */

export type * from './bisection.ts';
export type * from './blame.ts';
export type * from './causal.ts';
export type * from './claims.ts';
export type * from './cpu.ts';
export type * from './curves.ts';
export type * from './explanations.ts';
export type * from './nights.ts';
export type * from './profiles.ts';
export type * from './rows.ts';
export type * from './steady-state.ts';
export type * from './trial.ts';
export type * from './verdicts.ts';

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
  /** The verdicts on the differences in those rows: no other part of a report claims one. */
  readonly verdicts: Verdicts;
  /** Of a comparison whose durations do not count, because the machine was busy: by CPU time. */
  readonly besideOthers?: PairVerdict;
  /** How the browsers explain the differences between versions of a page; absent where none does. */
  readonly explained?: readonly ExplainedMeasure[];
  /** How trials came to their speed; absent where that was not searched for. */
  readonly steady?: SteadyFindings;
  readonly growth: readonly GrowthChart[];
  /** One for each benchmark that declares a crossover, and each combination of the other parameters. */
  readonly crossover: readonly CrossoverChart[];
  /** One for each benchmark whose metric should equal a parameter, and each combination of the others. */
  readonly truth: readonly TruthChart[];
  /** Of several runs: known differences between them besides their results; absent for one run. */
  readonly between?: readonly RunDifference[];
  /** The question that the run was made for, with its answer; absent for any other run. */
  readonly asked?: AskedFacts;
  /** Published tables, filled from this run; absent without any of their cases. */
  readonly rebuilt?: readonly RebuiltTable[];
  /** Published charts, likewise. */
  readonly rebuiltCharts?: readonly RebuiltChart[];
  /** Published claims about what is compared here; absent where it is missing. */
  readonly fitting?: readonly FittingClaim[];
  /** Claims about those tables, with the verdicts of this farm's newest answers. */
  readonly claims?: readonly ClaimFacts[];
  /** Of a comparison that ended a search among commits: the search; absent for any other run. */
  readonly bisection?: BisectionFacts;
  /** Functions that were blamed for its differences; absent without `--blame`. */
  readonly blame?: BlameFacts;
  /** The cost of the time of functions, where it was measured; absent for any other run. */
  readonly causal?: CausalFacts;
  /** Of a night: what it could see, and what it found; absent for any other run. */
  readonly night?: NightFacts;
  /** How the medians of this run's suite went over the nights; absent without a history. */
  readonly trends?: Trends;
  /** One for each case × target whose trials were searched for their speeds; absent when none were. */
  readonly courses?: readonly CaseCourse[];
  /** One entry for each case × target that has CPU readings. */
  readonly cpu: readonly CpuFacts[];
  /** Of trials that were profiled; absent without any. */
  readonly profiles?: ProfileFindings;
  /** Trials that failed, timed out or were skipped; equal ones are counted together. */
  readonly troubles: readonly Trouble[];
  /** Trials that are kept and not counted, because the machine was busy with something else. */
  readonly quarantined: readonly QuarantinedTrials[];
  /** Things that a reader must know before believing a number, such as isolation `page`. */
  readonly cautions: readonly string[];
}

export interface BenchmarkFacts {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly description: string;
}

/** Result of `farm claims reproduce` for one claim or anomaly. */
export interface EvidenceFindings extends Omit<AskedFacts, 'sentence'> {
  /** Of the run that was made for it: targets, rows, CPU, environment, method, raw data. Null when nothing was run. */
  readonly findings: Findings | null;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly claim: {
    readonly id: string;
    readonly sentence: string;
    readonly source: string;
    readonly published: string;
  };
  /**
   * The effect's direction and size compared with the published ones; null when nothing was run.
   */
  readonly directionVerdict: PartVerdict | null;
  readonly sizeVerdict: PartVerdict | null;
  /** Each in one sentence. */
  readonly direction: string;
  readonly size: string;
  /** Null when nothing is open, or when that cannot be foreseen. */
  readonly moreBlocks: number | null;
  readonly reason: string;
  readonly assertions: readonly AssertionFacts[];
  readonly counterfactuals: readonly CounterfactualFacts[];
  /** Observations that the claim does not mention: `no JavaScript ran in parallel`, with its numbers. */
  readonly explanations: readonly string[];
  /** Caveats: a stand-in browser, a smaller n than published. */
  readonly notes: readonly string[];
  /** Of every interval, at every look: 0.95. */
  readonly confidence: number;
  readonly command: string;
}

export interface RunFacts {
  readonly id: number;
  readonly suite: string;
  readonly seed: number;
  readonly isolation: 'session' | 'page';
  /** Left out where it was measured by the rules of its suite. */
  readonly preset?: 'fast';
  readonly blocks: number;
  readonly command: string;
  readonly status: 'running' | 'finished' | 'interrupted';
  /** No command measures more of it: it was imported, or nights go on with it. Left out of any other. */
  readonly isClosed?: true;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly cells: CellFacts;
  /** Facts of the machine, as label and text, in display order. */
  readonly machine: readonly Fact[];
  /** The environment over all trials (load, pressure, foreign CPU …). */
  readonly environment: readonly Fact[];
}

/** Trials of one case on one target that are kept and not counted. */
export interface QuarantinedTrials {
  readonly targetId: string;
  readonly caseName: string;
  readonly trials: number;
  /** The limits that were exceeded during the first of them. */
  readonly why: string;
}

/** Something that is not the same in all runs of a report. */
export interface RunDifference {
  readonly label: string;
  /** One for each run, in their order. */
  readonly texts: readonly string[];
  /** Targets whose numbers it may be behind; none for what passes by, such as load and date. */
  readonly targetIds: readonly string[];
}

/** Of the trial whose value is nearest to the median; times are in ms since its first call began. */
export interface CaseCourse {
  readonly caseName: string;
  readonly targetId: string;
  readonly block: number;
  readonly unit: string;
  /** When an iteration ended, and its value; where there are many, medians of adjacent ones. */
  readonly points: readonly (readonly [endMs: number, value: number])[];
  readonly firstMs: number;
  readonly windowAtMs: number;
  readonly segments: TrialCourse['segments'];
}

/** One case over builds of one browser: the input of its report. */
export interface SweepFindings {
  readonly caseName: string;
  /** Of the metric: its title and unit. */
  readonly metric: string;
  readonly unit: string;
  /** ISO 8601; an argument, so that the same findings give the same page. */
  readonly writtenAt: string;
  readonly farmVersion: string;
  /** The build that was in every block. */
  readonly reference: string;
  /** Share within which a difference does not matter. */
  readonly margin: number;
  /** Every build that was measured, the oldest first. */
  readonly points: readonly SweepPointFacts[];
  readonly changes: readonly SweepStep[];
  /** Adjacent builds whose comparison is undecided. */
  readonly open: readonly SweepStep[];
  /** Trials that do not count, because the machine was outside its limits. */
  readonly quarantined: number;
  /** Largest spread of the reference build's trials in one run: a share; null when not known. */
  readonly referenceSpread: number | null;
  readonly leftOut: readonly { readonly build: string; readonly because: string }[];
  /** Builds in the range that were not asked. */
  readonly notMeasured: readonly string[];
  readonly runs: readonly number[];
  readonly command: string;
}

export interface SweepPointFacts {
  readonly build: string;
  readonly version: string;
  /** Median of the trials that count; null without any. */
  readonly value: number | null;
  /** The build over the reference build, and its interval; null where unknown. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly trials: number;
  /** Until the steady state, in milliseconds of page time; null without one. */
  readonly steadyAfterMs: number | null;
  /** Null where threads were not read. */
  readonly coresBusy: number | null;
}

/** Two builds that follow each other among those that were measured: the newer over the older. */
export interface SweepStep {
  readonly between: readonly [string, string];
  readonly verdict: Verdict;
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
}
