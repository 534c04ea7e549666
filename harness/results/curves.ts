/** Values over a parameter: the part of `index.ts` that charts show. */

/** A value y at x, with its interval, of the curve of one target × value of `by`. */
export interface CurvePoint {
  readonly targetId: string;
  readonly by: string;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
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
  readonly points: readonly CurvePoint[];
  /** Growth per step of every curve of at least three points. */
  readonly fits: readonly GrowthFit[];
  /** Growth per step in theory, by value of `by`; empty when the benchmark declares none. */
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
  readonly points: readonly CurvePoint[];
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

/** Recorded against true durations, for a benchmark of known lengths. */
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
