import { z } from 'zod';
import { count, measured, type TypeOf } from './fields.ts';

/** Verdicts on pairs: a part of the contract in `index.ts`. */
/** A case on a target. */
const side = z.strictObject({ targetId: z.string(), caseName: z.string() });
export type Side = TypeOf<typeof side>;

/** Every verdict of the farm on a difference. */
const verdict = z.enum(['faster', 'slower', 'equivalent', 'undecided']);
export type Verdict = TypeOf<typeof verdict>;

/** The reason for the lack of a verdict. */
const indecision = z.enum([
  /** No verdict is possible with so few (`smallestBlocks(α)`). */
  'too-few-blocks',
  /** The same of sides that were measured in two runs. */
  'too-few-trials',
  /** The interval still holds 1 and reaches beyond the margin. */
  'too-wide',
  /** No single ratio fits all blocks: it changed during the measurement. More blocks will not help. */
  'no-constant-ratio',
  /** The typical ratio lies within the margin, and that of the means is not known to. */
  'mean-too-wide',
  /** The typical ratio lies within the margin, and that of the means beyond it: some sessions of one side are slow. */
  'mean-differs',
]);
export type Indecision = TypeOf<typeof indecision>;

/** The verdict on `a`, compared with the baseline `b`. */
export const pairVerdict = z.strictObject({
  a: side,
  b: side.describe('The baseline'),
  ...measured,
  verdict,
  ratio: z
    .number()
    .describe('To the baseline: the typical one of the common blocks; of two runs the shift'),
  low: z.number().nullable().describe('Holds at every look; null before there are blocks enough'),
  high: z.number().nullable(),
  blocks: count.describe('In common; 0 for sides of two runs'),
  unpaired: z
    .strictObject({ trials: z.tuple([count, count]).describe('Of a and of b') })
    .optional()
    .describe('Of sides of two runs: their interval and verdict hold for one look'),
  significant: z.boolean().describe('The interval excludes 1'),
  relevant: z.boolean().describe('All of it lies beyond the margin'),
  discovery: z.boolean().describe('The difference holds among all comparisons of the table'),
  blockRatios: z
    .array(z.number())
    .optional()
    .describe('Of versions of a page: the ratio of each block in common, in their order'),
  because: indecision.nullable().describe('Why it is undecided'),
  mean: z
    .strictObject({ ratio: z.number(), low: z.number(), high: z.number() })
    .optional()
    .describe('The ratio of the means, and what holds of it at every look'),
  moreBlocks: count
    .nullable()
    .describe('About how many more would decide it; null when none can be expected to'),
});
export type PairVerdict = TypeOf<typeof pairVerdict>;

/** The sequential verdicts of the run, with what they hold for. */
export interface Verdicts {
  /**
   * The target that all others are compared with; null when none was found, or the baseline is
   * another.
   */
  readonly baselineTargetId: string | null;
  /** Of versions of a page: every version is compared with this one, in each browser. */
  readonly baselineVersion?: string;
  /** Of several runs: every device is compared with itself in this one. */
  readonly baselineRun?: number;
  /** Share within which a difference does not matter: 0.02 is a ratio within 1/1.02 … 1.02. */
  readonly margin: number;
  /** Probability of a wrong verdict, over all looks; of a table the share of wrong ones, by e-BY. */
  readonly alpha: number;
  /** No verdict is possible with fewer blocks. */
  readonly smallestBlocks: number;
  /** How long one block took in this run; absent where that is not known, and of several runs. */
  readonly blockMs?: number;
  /** The same of a block with the sides of undecided pairs alone, which further blocks have. */
  readonly openBlockMs?: number;
  /** Every pair that has a block in common, or trials in two runs. */
  readonly pairs: readonly PairVerdict[];
  /** Of a run that goes on: for each of the pairs, the interval that was left after each look. */
  readonly looks?: readonly Course['looks'][];
  /** Reasons why no pair exists although both sides have values: half sentences. */
  readonly whyNone?: readonly string[];
  /** Of a run that compared one pair: how the interval closed, block by block. */
  readonly course: Course | null;
}

/**
 * The values of a side right after a trial of the other side, compared with those right after one
 * of the same side.
 */
export interface CarryOver {
  /** After the other side ÷ after the same side; 1 if nothing is carried over. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly afterOwn: number;
  readonly afterOther: number;
}

/** Blocks are numbered from 1 here: the first, the second … that both sides completed. */
export interface Course {
  /** a / b of each block. */
  readonly ratios: readonly number[];
  /** Of each side; null with too few trials of either kind. */
  readonly carryOver: { readonly a: CarryOver | null; readonly b: CarryOver | null };
  /**
   * The running interval after the given number of blocks; none before `smallestBlocks`, or once it
   * is empty.
   */
  readonly looks: readonly {
    readonly blocks: number;
    readonly low: number;
    readonly high: number;
  }[];
}
