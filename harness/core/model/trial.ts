import type { SteadyState, TrialResult } from '../../../pages/protocol.d.ts';
import type { Browser, GridNode } from './device.ts';
import type { Job, Plan } from './plan.ts';
import type { Reading } from './reading.ts';

export type { SteadyState, TrialResult };

/** Why a trial did not complete: a closed list, so that reports and retries can switch on it. */
export type FailureCode =
  | 'launch-failed'
  | 'navigation-failed'
  | 'browser-died'
  | 'page-error'
  | 'wrong-result'
  | 'bad-message'
  | 'timed-out'
  // Of trials that older farms stored: a probe costs no trial any more.
  | 'probe-failed'
  | 'farm-error';

export interface Failure {
  readonly code: FailureCode;
  /** Observation, in one sentence. It may quote a page: hostile until escaped. */
  readonly message: string;
}

/** How a trial ended. Only a completed one has a result; only a skipped one was never tried. */
export type Outcome =
  | {
      readonly kind: 'completed';
      readonly result: TrialResult;
      readonly readings: readonly Reading[];
      /**
       * Violated limits of its environment, in sentences. A trial with any is quarantined: kept and
       * shown, not counted, except for versions of a page without a better one.
       */
      readonly quarantine: readonly string[];
      /** Of the trial of a version that was quarantined, and counts all the same; it is not stored. */
      readonly released?: true;
    }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'timed-out'; readonly failure: Failure }
  | { readonly kind: 'skipped'; readonly reason: string; readonly remedy: string };

/** One try at a trial that did not complete. */
export interface FailedAttempt {
  readonly number: number;
  readonly failure: Failure;
}

/**
 * The clock of another machine relative to this one's, from the quickest of several round trips.
 */
export interface ClockAlignment {
  /** That clock minus this one at one instant, in milliseconds. */
  readonly offsetMs: number;
  /** The offset is right within ± this: half of the quickest round trip. */
  readonly errorMs: number;
  readonly roundTrips: number;
}

/** One fresh session and page load of one case on one target: the independent unit of evidence. */
export interface Trial {
  readonly job: Job;
  readonly outcome: Outcome;
  /** Null when no browser was there to ask. */
  readonly browser: Browser | null;
  /** Where its session ran, if that was in a grid. */
  readonly node?: GridNode;
  /** How the clock of its machine was, if that is another one and was asked. */
  readonly clock?: ClockAlignment;
  /** How long it waited for a quiet machine before its session began, in milliseconds; left out where it did not look. */
  readonly waitedMs?: number;
  /** Tries that failed before this outcome (for a failure, the last one included). */
  readonly failedAttempts: readonly FailedAttempt[];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Wall time of the whole trial as the farm saw it, in milliseconds. */
  readonly wallMs: number;
}

export function isQuarantined({ outcome }: Trial): boolean {
  return outcome.kind === 'completed' && outcome.quarantine.length > 0;
}

/** The start of the reason for which a trial is skipped when its target was left out of the run. */
export const setAsideAfter = 'quarantined after';

/** After this number of excluded repeats in a row a device gets no more of them. */
const vainRepeats = 2;

/**
 * True if the plan wants the trial repeated. A repeat that is quarantined again is not repeated.
 * Nor is any trial of a device whose last repeats were in vain: on a machine that stays busy they
 * only take the time of further blocks. The next trial that counts changes that.
 * @param earlier trials of the run before this one, of this and other devices, in their order
 */
export function deservesRepeat(
  trial: Trial,
  plan: Pick<Plan, 'repeatQuarantined'>,
  earlier: readonly Trial[],
): boolean {
  if (!plan.repeatQuarantined || trial.job.repeats !== undefined) return false;
  if (!isQuarantined(trial)) return false;
  const own = earlier.filter(({ job }) => job.deviceId === trial.job.deviceId);
  const lastCounted = own.findLastIndex(
    (one) => one.outcome.kind === 'completed' && !isQuarantined(one),
  );
  const vain = own
    .slice(lastCounted + 1)
    .filter((one) => one.job.repeats !== undefined && isQuarantined(one));
  return vain.length < vainRepeats;
}
