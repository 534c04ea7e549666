/** Verdicts on pairs: a part of the contract in `index.ts`. */
/** A case on a target. */
export interface Side {
  readonly targetId: string;
  readonly caseName: string;
}

/** The verdict on `a`, compared with the baseline `b`. */
export interface PairVerdict {
  readonly a: Side;
  readonly b: Side;
  readonly metric: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
  readonly verdict: 'faster' | 'slower' | 'equivalent' | 'undecided';
  /** The typical a / b of a common block; of two runs the shift between their trials. */
  readonly ratio: number;
  /** Bounds of it that hold at any look, at the level of its table; null before there are enough blocks. */
  readonly low: number | null;
  readonly high: number | null;
  /** In common; 0 for sides of two runs. */
  readonly blocks: number;
  /** Of sides that were measured in two runs: how many trials each has. Interval and verdict hold for one look. */
  readonly unpaired?: { readonly trials: readonly [a: number, b: number] };
  /** The interval excludes 1. */
  readonly significant: boolean;
  /** All of it lies beyond the margin. */
  readonly relevant: boolean;
  /** A difference that holds among all comparisons of the table. */
  readonly discovery: boolean;
  /** Only for `undecided`. */
  readonly because:
    | 'too-few-blocks'
    | 'too-few-trials'
    | 'too-wide'
    | 'no-constant-ratio'
    | 'mean-too-wide'
    | 'mean-differs'
    | null;
  /** The ratio of the means and its bounds; absent where it is not known. */
  readonly mean?: { readonly ratio: number; readonly low: number; readonly high: number };
  /** About how many more blocks would decide it; null when none can be expected to, or it is decided. */
  readonly moreBlocks: number | null;
}

/** The sequential verdicts of the run, with what they hold for. */
export interface Verdicts {
  /** The target that all others are set against; null when none was found, or the baseline is another. */
  readonly baselineTargetId: string | null;
  /** Of versions of a page: every version is set against this one, in each browser. */
  readonly baselineVersion?: string;
  /** Of several runs: every device is set against itself in this one. */
  readonly baselineRun?: number;
  /** Share within which a difference does not matter: 0.02 is a ratio within 1/1.02 … 1.02. */
  readonly margin: number;
  /** Probability of a wrong verdict, over all looks; of a table the share of wrong ones, by e-BY. */
  readonly alpha: number;
  /** No verdict is possible with fewer blocks. */
  readonly smallestBlocks: number;
  /** How long one block took in this run; absent where that is not known, and of several runs. */
  readonly blockMs?: number;
  /** Every pair that has a block in common, or trials in two runs. */
  readonly pairs: readonly PairVerdict[];
  /** Why there is no pair, where both sides have values: half sentences. */
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
  /** The running interval after so many blocks; none before `smallestBlocks`, or once it is empty. */
  readonly looks: readonly {
    readonly blocks: number;
    readonly low: number;
    readonly high: number;
  }[];
}
