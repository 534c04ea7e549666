import type { Job } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import type { LaterWindow, Look, RunListener } from '../listener.ts';
import { formatDuration, TimeLeft } from './time-left.ts';

type Start = Parameters<NonNullable<RunListener['onRunStarted']>>[0];

/**
 * The rest of a run that it listens to: of its plan, or where a rule ends it, of the blocks that the
 * rule is expected to take and of the budget; never of the most blocks that it may take. Every output
 * shows this one estimate.
 */
export class RestOfRun implements RunListener {
  readonly #now: () => number;
  #trials = new TimeLeft({ jobs: [], presences: [] });
  /** Blocks of the plan. */
  #planned = Infinity;
  /** Blocks of rounds that have begun: no budget ends one in its middle. */
  #begun = 0;
  #mayEndEarly = false;
  #look: (Look & { readonly at: number }) | null = null;
  #lines: readonly string[] = [];
  #excluded = 0;

  /** @param now milliseconds of a clock that does not jump */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Begins anew: one listener may see several runs. */
  onRunStarted({ plan, mayEndEarly = false, lately }: Start): void {
    this.#trials = new TimeLeft(plan, lately);
    this.#planned = plan.blocks;
    this.#begun = plan.firstRound ?? 1;
    this.#mayEndEarly = mayEndEarly;
    this.#look = null;
    this.#lines = [];
    this.#excluded = 0;
  }

  onTrialEnded({ trial }: { readonly trial: Trial }): void {
    const { job, outcome, wallMs } = trial;
    this.#begun = Math.max(this.#begun, job.block + 1);
    this.#trials.note(job, outcome.kind === 'skipped' ? null : wallMs);
  }

  onTrialQuarantined({ repeat }: { readonly repeat: Job | null }): void {
    this.#excluded += 1;
    if (repeat !== null) this.#trials.add(repeat);
  }

  onWindowChosen({ firstMs, thenMs }: LaterWindow): void {
    this.#trials.lengthen(thenMs - firstMs);
  }

  onLook(look: Look): void {
    this.#look = { ...look, at: this.#now() };
    if (look.lines.length > 0) this.#lines = look.lines;
  }

  /** True for a trial of a device that is not here. */
  isOfMissing({ deviceId }: Pick<Job, 'deviceId'>): boolean {
    return this.#trials.missing.has(deviceId);
  }

  /** True once a trial ended or is known from earlier runs: before, an estimate is a mere guess. */
  get isKnown(): boolean {
    return this.#trials.isKnown();
  }

  /** True if a rule ends the run, so that nobody knows its number of trials. */
  get mayEndEarly(): boolean {
    return this.#mayEndEarly;
  }

  /** Trials that do not count. */
  get excluded(): number {
    return this.#excluded;
  }

  /** A line for each pair of the last look that had some. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Blocks after which the run is expected to end; those of its plan where that cannot be foreseen. */
  get blocks(): number {
    return this.#look?.blocks ?? this.#planned;
  }

  /** Trials that have ended, and those that are expected in all. */
  get counts(): { readonly ended: number; readonly planned: number } {
    return this.#trials.count(this.blocks);
  }

  /** Milliseconds; null before anything is known of the trials, and where the end cannot be foreseen. */
  leftMs(): number | null {
    const isForeseen =
      !this.#mayEndEarly || (this.#look?.blocks ?? this.#look?.budgetMs ?? null) !== null;
    return isForeseen && this.isKnown ? this.estimate() : null;
  }

  /** The most trials that there may be. */
  get mostTrials(): number {
    return this.#mayEndEarly ? this.#trials.count().planned : this.counts.planned;
  }

  /** Milliseconds. */
  estimate(): number {
    const trials = this.#trials.estimate(this.blocks);
    const { budgetMs = null, at = 0 } = this.#look ?? {};
    if (budgetMs === null) return trials;
    const round = this.#trials.estimate(this.#begun);
    return Math.min(trials, Math.max(round, budgetMs - (this.#now() - at)));
  }

  /** `45 s left`; with `≈` where a rule ends the run, and `at most` where it cannot be foreseen when. */
  describe(): string {
    const time = `${formatDuration(this.estimate())} left`;
    if (!this.#mayEndEarly) return time;
    return (this.#look?.blocks ?? null) === null ? `at most ${time}` : `≈ ${time}`;
  }
}
