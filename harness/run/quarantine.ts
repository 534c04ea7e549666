import { caseName } from '../model/case.ts';
import { slowMachineFrom } from '../model/environment-limits.ts';
import { referenceRoundNs } from '../model/trial-value.ts';
import { setAsideAfter, type Outcome, type Trial } from '../model/trial.ts';

/** Failures of the page's own making say nothing about the target. */
const pagesFault: ReadonlySet<string> = new Set(['page-error', 'wrong-result', 'bad-message']);

/** Whether the target itself is to blame for how an attempt or a trial ended. */
export function diedOf(outcome: Outcome): boolean {
  if (outcome.kind === 'completed' || outcome.kind === 'skipped') return false;
  return !pagesFault.has(outcome.failure.code);
}

/**
 * Sets a target aside for the rest of the run once several trials in a row ended badly on it,
 * so that one dead device does not cost a night of deadlines.
 */
export class Quarantine {
  private readonly inARow = new Map<string, number>();
  private readonly reasons = new Map<string, string>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  reasonFor(deviceId: string): string | null {
    return this.reasons.get(deviceId) ?? null;
  }

  /** Takes note of an outcome; returns the reason when it was the one too many. */
  note(deviceId: string, outcome: Outcome): string | null {
    if (outcome.kind === 'skipped') return null;
    if (outcome.kind === 'completed' || !diedOf(outcome)) {
      this.inARow.set(deviceId, 0);
      return null;
    }
    const count = (this.inARow.get(deviceId) ?? 0) + 1;
    this.inARow.set(deviceId, count);
    if (count < this.limit) return null;
    const reason = `${setAsideAfter} ${String(count)} trials in a row ended badly; the last: ${outcome.failure.message}`;
    this.reasons.set(deviceId, reason);
    return reason;
  }
}

/** After so many slow trials in a row, repeats among them, the machine is slow for good. */
const slowForGood = 4;

interface Speed {
  /** Nanoseconds for a round of the reference work in the fastest trial. */
  readonly fastest: number;
  readonly slowInARow: number;
}

/**
 * Quarantines trials in which the machine ran slower from end to end than in earlier trials of the
 * same case on the same device: somebody else was busy on the same physical core.
 */
export class MachineSpeeds {
  private readonly speeds = new Map<string, Speed>();

  /** Returns the trial, with one more reason for its quarantine if the machine was slow. */
  judge(trial: Trial): Trial {
    const { job, outcome } = trial;
    const roundNs = outcome.kind === 'completed' ? referenceRoundNs(outcome.result) : null;
    if (outcome.kind !== 'completed' || roundNs === null) return trial;
    const key = `${job.deviceId} ${caseName(job.case)}`;
    const { fastest, slowInARow } = this.speeds.get(key) ?? { fastest: roundNs, slowInARow: 0 };
    const isSlow = roundNs > slowMachineFrom * fastest;
    if (!isSlow || slowInARow + 1 === slowForGood) {
      this.speeds.set(key, {
        fastest: isSlow ? roundNs : Math.min(roundNs, fastest),
        slowInARow: 0,
      });
      return trial;
    }
    this.speeds.set(key, { fastest, slowInARow: slowInARow + 1 });
    const times = (roundNs / fastest).toFixed(2);
    const reason = `the machine was ${times} times as slow as in an earlier trial, as the reference work shows (limit ${String(slowMachineFrom)})`;
    return { ...trial, outcome: { ...outcome, quarantine: [...outcome.quarantine, reason] } };
  }
}
