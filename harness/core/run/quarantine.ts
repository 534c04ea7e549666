import type { Job } from '../model/plan.ts';
import { type Failure, setAsideAfter, type Outcome, type Trial } from '../model/trial.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/** Failures of the page's own making say nothing about the target. */
const pagesFault: ReadonlySet<string> = new Set(['page-error', 'wrong-result', 'bad-message']);

/** True if the browser, not the page, is to blame for the end of an attempt or a trial. */
export function isBrowsersFault(outcome: Outcome): boolean {
  if (outcome.kind === 'completed' || outcome.kind === 'skipped') return false;
  return !pagesFault.has(outcome.failure.code);
}

/** Failures on a device since its last completed trial. */
interface BadStreak {
  /** Launches that failed: no page had a part in them. */
  readonly launches: number;
  readonly benchmarks: ReadonlySet<string>;
}

type SkippedOutcome = Extract<Outcome, { kind: 'skipped' }>;

function skipped(reason: string, remedy: string): SkippedOutcome {
  return { kind: 'skipped', reason, remedy };
}

const noStreak: BadStreak = { launches: 0, benchmarks: new Set() };

/**
 * Leaves out what would only cost time, so that neither a dead device nor a hostile page costs a
 * night of deadlines:
 * - a benchmark on a target, for the rest of the run, once several trials of it in a row ended
 *   badly there. A page that hangs or crashes its browser says nothing about other pages.
 * - the target itself once as many launches failed, or once several benchmarks ended badly
 *   without a trial in between that completed, and a page of the farm's own does not open there
 *   either.
 */
export class Quarantine {
  private readonly streaks = new Map<string, BadStreak>();
  private readonly inARow = new Map<string, number>();
  private readonly reasons = new Map<string, SkippedOutcome>();
  private readonly suspects = new Map<string, string>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The outcome of a trial that is left out; null when it is not. */
  skips(job: Job): SkippedOutcome | null {
    return this.reasons.get(job.deviceId) ?? this.reasons.get(benchmarkOn(job)) ?? null;
  }

  /** Takes note of a trial; returns the reason when it was the one too many for its target. */
  note({ job, outcome }: Pick<Trial, 'job' | 'outcome'>): string | null {
    if (outcome.kind === 'skipped') return null;
    if (outcome.kind === 'completed' || !isBrowsersFault(outcome)) {
      this.acquit(job.deviceId);
      this.inARow.delete(benchmarkOn(job));
      return null;
    }
    const { code, message } = outcome.failure;
    if (code !== 'launch-failed') this.noteBenchmark(job, message);
    return this.noteTarget(job, outcome.failure);
  }

  /** True if the next step is to find out whether the device or its pages are to blame. */
  isSuspect(job: Job): boolean {
    return this.suspects.has(job.deviceId) && this.skips(job) === null;
  }

  /** The target works: what ended badly on it is the pages' own. */
  acquit(deviceId: string): void {
    this.streaks.delete(deviceId);
    this.suspects.delete(deviceId);
  }

  /**
   * The target does not open a page of the farm's own; returns the reason for which it is left out.
   */
  condemn(deviceId: string, why: string): string {
    const suspicion = this.suspects.get(deviceId) ?? 'a page ended badly';
    this.suspects.delete(deviceId);
    return this.setAside(
      deviceId,
      `${setAsideAfter} ${suspicion}; nor does it open a page of the farm's own: ${why}`,
    );
  }

  private noteBenchmark(job: Job, message: string): void {
    const count = (this.inARow.get(benchmarkOn(job)) ?? 0) + 1;
    this.inARow.set(benchmarkOn(job), count);
    if (count < this.limit) return;
    const reason = `left out after ${String(count)} trials of ${job.case.benchmark.id} in a row ended badly on ${job.deviceId}; the last: ${message}`;
    this.reasons.set(
      benchmarkOn(job),
      skipped(reason, `${npxCrossfarm} serve, to open it by hand`),
    );
  }

  private noteTarget({ deviceId, case: { benchmark } }: Job, failure: Failure): string | null {
    const { launches, benchmarks } = this.streaks.get(deviceId) ?? noStreak;
    const isLaunch = failure.code === 'launch-failed';
    const streak = {
      launches: launches + Number(isLaunch),
      benchmarks: isLaunch ? benchmarks : new Set([...benchmarks, benchmark.id]),
    };
    this.streaks.set(deviceId, streak);
    const { message } = failure;
    if (streak.launches >= this.limit) {
      const what = `${String(streak.launches)} launches failed`;
      return this.setAside(deviceId, `${setAsideAfter} ${what}; the last: ${message}`);
    }
    if (streak.benchmarks.size >= this.limit) {
      const what = `trials of ${String(streak.benchmarks.size)} benchmarks ended badly`;
      this.suspects.set(deviceId, `${what}, and none completed in between; the last: ${message}`);
    }
    return null;
  }

  private setAside(deviceId: string, reason: string): string {
    this.reasons.set(deviceId, skipped(reason, `${npxCrossfarm} devices`));
    return reason;
  }
}

function benchmarkOn({ deviceId, case: { benchmark } }: Job): string {
  return `${deviceId}\n${benchmark.id}`;
}
