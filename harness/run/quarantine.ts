import { caseName } from '../model/case.ts';
import { slowMachineFrom } from '../model/environment-limits.ts';
import { referenceRoundNs } from '../model/trial-value.ts';
import type { Job, Plan } from '../model/plan.ts';
import {
  type Failure,
  setAsideAfter,
  slowAtFirst,
  type Outcome,
  type Trial,
} from '../model/trial.ts';

/** Failures of the page's own making say nothing about the target. */
const pagesFault: ReadonlySet<string> = new Set(['page-error', 'wrong-result', 'bad-message']);

/** Whether the target itself is to blame for how an attempt or a trial ended. */
export function diedOf(outcome: Outcome): boolean {
  if (outcome.kind === 'completed' || outcome.kind === 'skipped') return false;
  return !pagesFault.has(outcome.failure.code);
}

/** What ended badly on a target since a trial last completed there. */
interface BadStreak {
  /** Launches that failed: no page had a part in them. */
  readonly launches: number;
  readonly benchmarks: ReadonlySet<string>;
}

type Skipped = Extract<Outcome, { kind: 'skipped' }>;

function skipped(reason: string, remedy: string): Skipped {
  return { kind: 'skipped', reason, remedy };
}

const noStreak: BadStreak = { launches: 0, benchmarks: new Set() };

/**
 * Leaves out what would only cost time, so that neither a dead device nor a hostile page costs a
 * night of deadlines:
 * - a benchmark on a target, for the rest of the run, once several trials of it in a row ended badly
 *   there. A page that hangs or crashes its browser says nothing of the pages beside it.
 * - the target itself once several benchmarks did so without a trial in between that completed, or
 *   as many launches failed.
 */
export class Quarantine {
  private readonly streaks = new Map<string, BadStreak>();
  private readonly inARow = new Map<string, number>();
  private readonly reasons = new Map<string, Skipped>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The outcome of a trial that is left out; null when it is not. */
  skips(job: Job): Skipped | null {
    return this.reasons.get(job.deviceId) ?? this.reasons.get(benchmarkOn(job)) ?? null;
  }

  /** Takes note of a trial; returns the reason when it was the one too many for its target. */
  note({ job, outcome }: Pick<Trial, 'job' | 'outcome'>): string | null {
    if (outcome.kind === 'skipped') return null;
    if (outcome.kind === 'completed' || !diedOf(outcome)) {
      this.streaks.delete(job.deviceId);
      this.inARow.delete(benchmarkOn(job));
      return null;
    }
    const { code, message } = outcome.failure;
    if (code !== 'launch-failed') this.noteBenchmark(job, message);
    return this.noteTarget(job, outcome.failure);
  }

  private noteBenchmark(job: Job, message: string): void {
    const count = (this.inARow.get(benchmarkOn(job)) ?? 0) + 1;
    this.inARow.set(benchmarkOn(job), count);
    if (count < this.limit) return;
    const reason = `left out after ${String(count)} trials of ${job.case.benchmark.id} in a row ended badly on ${job.deviceId}; the last: ${message}`;
    this.reasons.set(benchmarkOn(job), skipped(reason, 'farm serve, to open it by hand'));
  }

  private noteTarget({ deviceId, case: { benchmark } }: Job, failure: Failure): string | null {
    const { launches, benchmarks } = this.streaks.get(deviceId) ?? noStreak;
    const isLaunch = failure.code === 'launch-failed';
    const streak = {
      launches: launches + Number(isLaunch),
      benchmarks: isLaunch ? benchmarks : new Set([...benchmarks, benchmark.id]),
    };
    this.streaks.set(deviceId, streak);
    if (Math.max(streak.launches, streak.benchmarks.size) < this.limit) return null;
    const what =
      streak.launches >= this.limit
        ? `${String(streak.launches)} launches failed`
        : `trials of ${String(streak.benchmarks.size)} benchmarks ended badly, and none completed in between`;
    const reason = `${setAsideAfter} ${what}; the last: ${failure.message}`;
    this.reasons.set(deviceId, skipped(reason, 'farm devices'));
    return reason;
  }
}

function benchmarkOn({ deviceId, case: { benchmark } }: Job): string {
  return `${deviceId}\n${benchmark.id}`;
}

/**
 * After so many slow trials in a row, repeats among them, the machine is slow for good. Beside a busy
 * neighbour of the virtual machine the fourth in a row, of two blocks, was seen to take 1.3 to 1.9 times
 * as long as usual, and it counted.
 */
const slowForGood = 6;

/** Of so many trials one may show a faster machine than there is: its browser compiled the work otherwise. */
const oneTooFastIn = 10;

interface Speed {
  /** Nanoseconds for a round of the reference work in each trial, in order of size. */
  readonly known: readonly number[];
  readonly slowInARow: number;
}

/**
 * Knows the machine's own speed from the trials of a run: that of the fastest tenth of each case on each
 * device. Other cases do not count: on a processor whose cores are shared by two threads, what the
 * helper threads of a browser do for a case slows the reference work down, too, and is that case's own.
 */
export class MachineSpeeds {
  private readonly speeds = new Map<string, Speed>();
  private readonly judges: boolean;

  constructor({ repeatQuarantined }: Pick<Plan, 'repeatQuarantined'>) {
    this.judges = repeatQuarantined;
  }

  /** Nanoseconds of a round of the reference work at the machine's own speed, as far as trials showed it. */
  ownRoundNs(job: Job): number | null {
    const { known } = this.speedOf(job);
    return known[Math.floor(known.length / oneTooFastIn)] ?? null;
  }

  /**
   * Returns the trial, with one more reason for its quarantine if the machine was slower than its own
   * speed from end to end: somebody else was busy on the same physical core. Not in a plan without
   * repeats: there a slow trial, which widens an interval, is worth more than none.
   */
  judge(trial: Trial): Trial {
    const { job, outcome } = trial;
    const roundNs = outcome.kind === 'completed' ? referenceRoundNs(outcome.result) : null;
    if (outcome.kind !== 'completed' || roundNs === null) return trial;
    const times = roundNs / (this.ownRoundNs(job) ?? roundNs);
    if (!this.note(job, { roundNs, isSlow: times > slowMachineFrom }) || !this.judges) return trial;
    return withReason(trial, slownessOf(times, 'earlier'));
  }

  /** Whether the trial was slow, and the machine is not slow for good. */
  private note(job: Job, { roundNs, isSlow }: { roundNs: number; isSlow: boolean }): boolean {
    const { known, slowInARow } = this.speedOf(job);
    const isForGood = isSlow && slowInARow + 1 === slowForGood;
    const now = [...(isForGood ? [] : known), roundNs].sort((a, b) => a - b);
    this.speeds.set(seriesOf(job), {
      known: now,
      slowInARow: isSlow && !isForGood ? slowInARow + 1 : 0,
    });
    return isSlow && !isForGood;
  }

  private speedOf(job: Job): Speed {
    return this.speeds.get(seriesOf(job)) ?? { known: [], slowInARow: 0 };
  }
}

function slownessOf(times: number, than: 'earlier' | 'other'): string {
  return `the machine was ${times.toFixed(2)} times as slow as in ${than} trials, as the reference work shows (limit ${String(slowMachineFrom)})`;
}

function withReason(trial: Trial, reason: string): Trial {
  const { outcome } = trial;
  if (outcome.kind !== 'completed') return trial;
  return { ...trial, outcome: { ...outcome, quarantine: [...outcome.quarantine, reason] } };
}

/** Returns the trials of the first blocks that are quarantined only now that these are over. */
export function judgedLate(plan: Plan, trials: readonly Trial[]): readonly Trial[] {
  return slowAtFirst(plan, trials).map(({ trial, times }) =>
    withReason(trial, slownessOf(times, 'other')),
  );
}

function seriesOf({ deviceId, case: one }: Job): string {
  return `${deviceId} ${caseName(one)}`;
}
