import { z } from 'zod';
import { count, type TypeOf } from './fields.ts';

/** Values over a parameter: the part of `index.ts` that charts show. */

const curvePoint = z.strictObject({
  targetId: z.string(),
  by: z.string(),
  x: z.number(),
  y: z.number(),
  low: z.number(),
  high: z.number(),
});

/** A value y at x, with its interval, of the curve of one device × value of `by`. */
export type CurvePoint = TypeOf<typeof curvePoint>;

/** By least squares of the metric's logarithm. */
export const growthFit = z.strictObject({
  targetId: z.string(),
  by: z.string(),
  perStep: z.number().describe('Factor by which it grows when the parameter grows by 1'),
  low: z.number(),
  high: z.number(),
  confidence: z.number(),
  points: count,
});
export type GrowthFit = TypeOf<typeof growthFit>;

const growthTheory = z.strictObject({
  by: z.string(),
  perStep: z.number(),
  label: z.string().describe('Name of that number, such as φ'),
});
export type GrowthTheory = TypeOf<typeof growthTheory>;

/** One metric over one integer parameter, a curve for each device × value of `by`. */
export const growthChart = z.strictObject({
  benchmark: z.string(),
  title: z.string(),
  metric: z.string(),
  unit: z.string(),
  over: z.string(),
  by: z.string(),
  fixed: z.string().describe('Values of all other parameters, for the caption'),
  points: z.array(curvePoint),
  fits: z.array(growthFit).describe('Of every curve of at least three points'),
  theory: z
    .array(growthTheory)
    .describe('Growth per step in theory, by value of `by`; empty where none is declared'),
});
export type GrowthChart = TypeOf<typeof growthChart>;

/** From which amount of work on each value of a parameter beats its base, such as workers no worker. */
export interface CrossoverChart {
  readonly title: string;
  readonly metric: string;
  /** The parameter that is the amount of work. */
  readonly over: string;
  readonly by: string;
  /** The value of `by` that all others are compared with. */
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
