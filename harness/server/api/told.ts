import type { Parameters } from '../../model/case.ts';
import type { RunStatus } from '../../model/run.ts';

/**
 * What the analysis says of a run and of a suite's nights, as the API tells it. `words` are the numbers
 * beside them, in the report's own digits.
 */

export interface ToldFindings {
  readonly run: number;
  readonly status: RunStatus;
  /** Device that the others are set against; null when none was found. */
  readonly baseline: string | null;
  readonly margin: number;
  readonly alpha: number;
  readonly smallestBlocks: number;
  readonly targets: readonly ToldTarget[];
  readonly rows: readonly ToldRow[];
  readonly pairs: readonly ToldPair[];
  readonly growth: readonly ToldGrowth[];
  readonly troubles: readonly ToldTrouble[];
  readonly cautions: readonly string[];
}

export interface ToldTarget {
  readonly device: string;
  readonly deviceName: string;
  readonly status: 'found' | 'missing';
  readonly reason: string | null;
  readonly remedy: string | null;
}

interface ToldMetric {
  readonly metric: string;
  readonly unit: string;
  readonly direction: 'lower' | 'higher';
}

/** One case × metric. */
export interface ToldRow extends ToldMetric {
  readonly case: string;
  readonly benchmark: string;
  readonly parameters: Parameters;
  /** Repeats the case. */
  readonly command: string;
  readonly cells: readonly ToldCell[];
}

/** Without numbers it says why there are none. */
export interface ToldCell {
  readonly device: string;
  readonly measured: MeasuredNumbers | null;
  readonly why: string | null;
}

export interface MeasuredNumbers {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  readonly trials: number;
  readonly quarantined: number;
  readonly resolution: number;
  /** Each trial's value, in block order. */
  readonly values: readonly number[];
  readonly words: {
    readonly median: string;
    readonly interval: string;
    readonly onlySure: string | null;
  };
}

/** What a device is for a case, beside the baseline. */
export interface ToldPair extends ToldMetric {
  readonly case: string;
  readonly device: string;
  readonly baselineCase: string;
  readonly baselineDevice: string;
  /** What the whole table supports. */
  readonly verdict: 'faster' | 'slower' | 'equivalent' | 'undecided';
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly blocks: number;
  readonly significant: boolean;
  readonly relevant: boolean;
  readonly because: string | null;
  readonly moreBlocks: number | null;
  readonly words: {
    readonly verdict: string;
    readonly ratio: string;
    readonly interval: string | null;
    readonly note: string;
  };
}

/** How a metric grows with a parameter; the points that it was fitted to are the rows' medians. */
export interface ToldGrowth {
  readonly benchmark: string;
  readonly title: string;
  readonly metricTitle: string;
  readonly over: string;
  readonly by: string;
  readonly fixed: string;
  readonly fits: readonly {
    readonly device: string;
    readonly by: string;
    readonly perStep: number;
    readonly low: number;
    readonly high: number;
    readonly confidence: number;
    readonly points: number;
    readonly words: { readonly perStep: string; readonly interval: string };
  }[];
  readonly theory: readonly {
    readonly by: string;
    readonly perStep: number;
    readonly label: string;
  }[];
}

/** Equal trials that failed, timed out or were skipped. */
export interface ToldTrouble {
  readonly kind: 'failed' | 'timed-out' | 'skipped';
  readonly device: string;
  readonly case: string;
  readonly trials: number;
  readonly code: string;
  /** Hostile: it may quote a page. */
  readonly message: string;
  readonly remedy: string;
}

/** What changed over the nights of a suite. */
export interface ToldChanges {
  readonly suite: string;
  /** The newest run that was looked at; null where there is none. */
  readonly run: number | null;
  /** Runs that were looked at. */
  readonly nights: number;
  /** Why nothing was searched; null when it was. */
  readonly notSearched: string | null;
  readonly series: readonly ToldSeries[];
}

export interface ToldSeries extends ToldMetric {
  readonly case: string;
  readonly device: string;
  readonly metricTitle: string;
  /** What sets it apart from the series of the same case, device and metric before it. */
  readonly begunBy: readonly string[];
  readonly nights: number;
  readonly firstRun: number;
  readonly lastRun: number;
  readonly notSearched: string | null;
  readonly changes: readonly ToldChange[];
}

export interface ToldChange {
  /** The first run after it. */
  readonly run: number;
  readonly startedAt: string;
  /** A suspect has fewer than six nights on one side. */
  readonly state: 'settled' | 'suspect';
  readonly before: number;
  readonly after: number;
  /** After / before. */
  readonly ratio: number;
  readonly p: number;
  /** What is known to have changed with it, in words. */
  readonly cause: string;
  readonly words: { readonly ratio: string };
}
