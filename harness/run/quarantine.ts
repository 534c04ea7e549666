import { setAsideAfter, type Outcome } from '../model/trial.ts';

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
