import type { Verdict } from './verdicts.ts';

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
  readonly changes: readonly SweepStepFacts[];
  /** Adjacent builds whose comparison is undecided. */
  readonly open: readonly SweepStepFacts[];
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
  /** The build over the reference build, and its interval; null if there are none. */
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
export interface SweepStepFacts {
  readonly between: readonly [string, string];
  readonly verdict: Verdict;
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
}
