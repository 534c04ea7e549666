import type { RunLook } from '../model/history.ts';
import type { Job, Plan } from '../model/plan.ts';
import type { CellCounts, DeviceCells } from '../model/run.ts';
import type { FailedAttempt, Trial } from '../model/trial.ts';

/** How long trials are timed: in the first round, and from then on. */
export interface LaterWindow {
  readonly firstMs: number;
  readonly thenMs: number;
}

/** The state of a run that ends by a rule, before its last block. */
export interface Look {
  /** The comparisons after a round; null before one is over, and where nothing is compared. */
  readonly found: RunLook | null;
  /** A line for each pair: what is decided of it, or what was seen so far; none before a round is over. */
  readonly lines: readonly string[];
  /** The block after which its rule is expected to end it; null if that cannot be foreseen. */
  readonly blocks: number | null;
  /** Milliseconds until its time is up; null without a budget. */
  readonly budgetMs: number | null;
}

/** Watches a run while it goes on. Every method is optional, and none can change the run. */
export interface RunListener {
  onRunStarted?(event: {
    readonly run: number;
    readonly plan: Plan;
    /** It ends before its last block when all is decided, or its time is up. */
    readonly mayEndEarly?: boolean;
    /** Milliseconds of a trial in the newest runs, by `timeKey`. */
    readonly lately?: ReadonlyMap<string, number>;
  }): void;
  onTrialStarted?(event: { readonly job: Job }): void;
  onAttemptFailed?(event: { readonly job: Job; readonly attempt: FailedAttempt }): void;
  /** A trial waits for its device, which is too hot to measure, or for others to be done with the cores. */
  onWaiting?(event: {
    readonly deviceId: string;
    /** Half a sentence. */
    readonly why: string;
    /** How much longer it may be waited for. */
    readonly leftMs: number;
  }): void;
  onTrialEnded?(event: { readonly trial: Trial }): void;
  /** A trial completed outside the limits of its environment; `repeat` is planned right after it. */
  onTrialQuarantined?(event: {
    readonly trial: Trial;
    readonly reasons: readonly string[];
    readonly repeat: Job | null;
  }): void;
  /** A device is left out for the rest of the run. */
  onQuarantined?(event: { readonly deviceId: string; readonly reason: string }): void;
  /** Trials are timed for longer from here on, each for `thenMs` instead of `firstMs`. */
  onWindowChosen?(event: LaterWindow): void;
  /** A run that ends by a rule begins, or was looked at after a block and goes on. */
  onLook?(event: Look): void;
  /** A session could not be ended or removed completely. */
  onLeftover?(event: { readonly what: string }): void;
  onRunEnded?(event: {
    readonly run: number;
    readonly cells: CellCounts;
    /** The same for each device, in the order of the plan. */
    readonly devices: readonly DeviceCells[];
    readonly interrupted: boolean;
    /** The file of its report, where one was written. */
    readonly report?: string;
  }): void;
}
