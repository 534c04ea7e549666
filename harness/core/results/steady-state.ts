/** Results of the search for steady state: the part of `index.ts` that its section shows. */
import { z } from 'zod';
import { count, type TypeOf } from './fields.ts';
import type { PairVerdict } from './verdicts.ts';

export const speed = z.strictObject({
  value: z.number().describe('Median of the values of its trials'),
  trials: count,
});

/** A speed that some of the trials have. */
export type Speed = TypeOf<typeof speed>;

export interface SteadyFindings {
  /** Case × target, in the order of the table; only those whose trials were searched. */
  readonly cells: readonly SteadyCell[];
  /** First call, time to steady state and CPU time against the baseline, as a separate table. */
  readonly verdicts: readonly PairVerdict[];
}

/** The metrics of `SteadyFindings.verdicts`. */
export type SteadyMetric = 'first call' | 'time to steady state' | 'CPU time';

export interface SteadyCell {
  readonly caseName: string;
  readonly targetId: string;
  readonly unit: string;
  /** Those that count and were searched. */
  readonly trials: number;
  /** How many trials ended in each class, the most frequent first. */
  readonly classes: readonly { readonly name: string; readonly trials: number }[];
  /** How many are noisy. */
  readonly noisy: number;
  /** Share of the timed iterations that do not count, 0–1, median over the trials: the machine ran slower than it can. */
  readonly disturbed: number;
  /** Two speeds instead of one, the more frequent first; absent where all trials have one. */
  readonly speeds?: readonly Speed[];
  /** Medians over trials, in milliseconds. */
  readonly firstMs: Estimate;
  /** Over the trials that had a steady state; null when none had. */
  readonly steadyAfterMs: Estimate | null;
  /** Of one operation, on the thread that measures; over the trials of which it is known, or why it is of none. */
  readonly cpuMs: Estimate | { readonly why: string };
  /**
   * CPU time of compiler threads, as a share of the window's wall time: the median over trials;
   * `atMost` where others share those threads. Absent where threads could not be read.
   */
  readonly compilers?: { readonly share: number; readonly atMost: boolean };
  /** Standard deviations of the logarithms; null with fewer than two trials, or windows too short to split. */
  readonly spread: {
    readonly iterations: number;
    /** Between stretches of the steady part of a session, half seconds where it is long. */
    readonly stretches: number;
    readonly sessions: number;
  } | null;
  /**
   * The timed window: its length, and the best length; null where that is not known. `then` is
   * its length after the first round of a comparison, where that was set from its trials.
   */
  readonly windowMs: { readonly was: number; readonly then?: number; readonly best: number | null };
}

/** A median with its interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
}
