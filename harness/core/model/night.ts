import type { Metric } from './case.ts';
import type { Target } from './device.ts';
import type { Drawing } from './display.ts';
import type { Run } from './run.ts';

/** Measurement of one night, of one case on one target, by one metric. */
export interface NightValue {
  readonly run: Run;
  /** With the version that the browser itself reported at launch. */
  readonly target: Target;
  readonly benchmark: string;
  /** Of the benchmark's page. */
  readonly benchmarkVersion: number;
  readonly caseName: string;
  readonly metric: Metric;
  /** True if the page was cross-origin isolated. */
  readonly isolated: boolean;
  /** How its browser drew; null where no trial said so. */
  readonly drawing: Drawing | null;
  /** Median over the medians of the trials that count, in the metric's unit. */
  readonly median: number;
  /** Those medians, one for each trial that counts, in no order. */
  readonly values: readonly number[];
  /** Trials that count. */
  readonly trials: number;
}

/** Which nights a history is made of. */
export interface HistoryOrder {
  readonly suite: string;
  /** The newest run that belongs to it; it may have been interrupted, earlier ones have finished. */
  readonly until: number;
  /** Largest number of runs. */
  readonly nights: number;
}
