/** Published claims and tables, with their verdicts: a part of the contract in `index.ts`. */
import type { Side } from './verdicts.ts';

/** A number with the interval that holds at every look; null before there is one. */
export interface MeasuredNumber {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  /** The interval of the last look alone; only where the value lies outside of that of all looks. */
  readonly lastLook?: { readonly low: number; readonly high: number };
  /** Of a ratio of ratios: the two. The value is the first over the second. */
  readonly ratios?: readonly [number, number];
}

/** The verdict on a direction, or on a size. */
export type PartVerdict = 'confirmed' | 'refuted' | 'open' | 'not published';

/** One thing that the claim says, as a number that was measured. */
export interface AssertionFacts {
  /** An explanation decides nothing. */
  readonly role: 'verdict' | 'explanation';
  /** `asyncFib n=25: Firefox takes longer than Chromium` */
  readonly sentence: string;
  /** `duration`, `cores busy`, … */
  readonly quantity: string;
  /** A ratio is drawn on a logarithmic scale around 1. */
  readonly kind: 'ratio' | 'level';
  /** `×` for a ratio; `ms`, `cores`, … for a level. */
  readonly unit: string;
  /** `above 1`, `within 10 % of 1`, `below 1 ms` */
  readonly expected: string;
  /** The published figure: low = high for one number, null where only words were published. */
  readonly published: {
    readonly text: string;
    readonly low: number | null;
    readonly high: number | null;
  };
  readonly measured: MeasuredNumber | null;
  readonly blocks: number;
  /** True if the expectation holds. */
  readonly outcome: 'holds' | 'fails' | 'open';
  readonly direction: PartVerdict;
  /** Shown to be equal within 2 %: no direction can be shown, and more blocks would not help. */
  readonly equal: boolean;
  readonly size: 'as published' | 'smaller' | 'larger' | 'open' | 'not published';
}

/** The same case with the suspected cause switched off. */
export interface CounterfactualFacts {
  /** `parallel-gc` */
  readonly id: string;
  /** `Chromium without parallel garbage collection` */
  readonly sentence: string;
  /** The flag or setting: `--js-flags=--single-threaded-gc` */
  readonly change: string;
  readonly quantity: string;
  readonly unit: string;
  readonly withCause: MeasuredNumber | null;
  readonly withoutCause: MeasuredNumber | null;
  /** Share of the effect that goes with the suspect: 1 is all of it; it may lie outside 0–1. */
  readonly explained: MeasuredNumber | null;
  /** One sentence: `explains 93 % (88 … 99 %) of the cores beyond the first` */
  readonly verdict: string;
}

/** A published table next to our own numbers. */
export interface RebuiltTable {
  /** Of the claims: A1, B, B4, C … */
  readonly section: string;
  readonly title: string;
  readonly source: string;
  readonly columns: readonly string[];
  readonly groups: readonly RebuiltGroup[];
  readonly note: string;
}

/** A chart that a study printed, drawn from our numbers. */
export type RebuiltChart = {
  /** Names its file: `a3-sync-and-async`. Its first letter is that of the study. */
  readonly id: string;
  readonly title: string;
  /** The contents of the source's own chart. */
  readonly original: string;
} & (
  | {
      readonly kind: 'curves';
      readonly over: string;
      readonly unit: string;
      readonly curves: readonly RebuiltCurve[];
    }
  | {
      readonly kind: 'cores';
      /** The chart shows the activity of cores in the `CpuFacts` of each. */
      readonly calls: readonly {
        readonly label: string;
        readonly caseName: string;
        readonly targetId: string;
      }[];
    }
);

export interface RebuiltCurve {
  readonly label: string;
  /** In the order of x. */
  readonly points: readonly ({ readonly x: number } & MeasuredNumber)[];
}

/** A sentence that the studies published, and what this farm says of it. */
export interface ClaimFacts {
  readonly id: string;
  readonly sentence: string;
  readonly published: string;
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable';
  /** Null while nothing was measured. */
  readonly directionVerdict: PartVerdict | null;
  readonly sizeVerdict: PartVerdict | null;
  /** The result for both, in one line; or the reason why it is missing. */
  readonly headline: string;
  /** Of the leading assertion; null while nothing was measured. */
  readonly measured: (MeasuredNumber & { readonly unit: string }) | null;
  /** Run that answered it; null while none has. */
  readonly run: number | null;
  readonly command: string;
}

export interface RebuiltGroup {
  readonly label: string;
  readonly unit: string;
  /** As printed in the source, one for each column; null where it says nothing. */
  readonly published: readonly (string | null)[];
  readonly rows: readonly RebuiltRow[];
}

export interface RebuiltRow {
  readonly targetId: string;
  /** One for each column; null where nothing was measured. */
  readonly cells: readonly (RebuiltCell | RebuiltFailure | null)[];
}

export interface RebuiltCell extends MeasuredNumber {
  readonly trials: number;
}

/** All trials of a cell failed, which may be what the source saw, too. */
export interface RebuiltFailure {
  readonly failed: 'out of memory' | 'failed';
  readonly trials: number;
}

/** A published claim about the very things that some pairs of a report compare. */
export interface FittingClaim {
  readonly id: string;
  readonly sentence: string;
  /** Measures it, in blocks, with its suspects switched off where it names any. */
  readonly command: string;
  readonly pairs: readonly { readonly a: Side; readonly b: Side }[];
}

/** The question of a run, and its answer. */
export interface AskedFacts {
  /** Such as `Claim A3`. */
  readonly title: string;
  readonly sentence: string;
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable';
  /** Direction and size in one line, with the number of the leading assertion. */
  readonly headline: string;
  /** How many more blocks what is open would take, and why it did not get them; null when nothing is. */
  readonly unsettled: string | null;
}
