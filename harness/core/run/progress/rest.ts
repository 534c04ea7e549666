import type { Job, Plan } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import type { Look, RunListener } from '../listener.ts';
import { plain } from './plain-text.ts';
import { formatDuration, TimeLeft } from './time-left.ts';

interface Beginning {
  readonly mayEndEarly?: boolean | undefined;
  readonly lately?: ReadonlyMap<string, number> | undefined;
}

/**
 * The time left of a run: by the plan until a comparison was looked at, then by the rule that ends it.
 * The terminal and the pages that show a run in progress have their numbers from here.
 */
export class Rest {
  timeLeft = new TimeLeft({ jobs: [], presences: [] });
  /** Trials that did not count. */
  quarantined = 0;
  readonly #now: () => number;
  #atMost = '';
  #look: (Look & { readonly at: number }) | null = null;

  /** @param now milliseconds of a clock that does not jump */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  begin(
    plan: Pick<Plan, 'jobs' | 'presences' | 'allowContention'>,
    { mayEndEarly = false, lately }: Beginning,
  ): void {
    this.timeLeft = new TimeLeft(plan, lately);
    this.quarantined = 0;
    this.#atMost = mayEndEarly ? 'at most ' : '';
    this.#look = null;
  }

  note({ job, outcome, wallMs }: Trial): void {
    this.timeLeft.note(job, outcome.kind === 'skipped' ? null : wallMs);
  }

  /** Counts a trial that did not count, and its repeat. */
  noteQuarantined(repeat: Job | null): void {
    this.quarantined += 1;
    if (repeat !== null) this.timeLeft.add(repeat);
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) this.timeLeft.add(job);
  }

  /** Trials take so many milliseconds longer from here on. */
  lengthen(ms: number): void {
    this.timeLeft.lengthen(ms);
  }

  take(look: Look): void {
    this.#look = { ...look, at: this.#now() };
  }

  /** A line for each pair of the last look. */
  get lines(): readonly string[] {
    return (this.#look?.lines ?? []).map(plain);
  }

  /** Milliseconds; null before anything is known of the trials. */
  leftMs(): number | null {
    return this.#ofLook() ?? (this.timeLeft.isKnown() ? this.timeLeft.estimate() : null);
  }

  describe(): string {
    const left = this.#ofLook();
    return left === null
      ? `${this.#atMost}${formatDuration(this.timeLeft.estimate())} left`
      : `≈ ${formatDuration(left)} left`;
  }

  /** By the last look; null before one that knows. */
  #ofLook(): number | null {
    const { leftMs = null, at = 0 } = this.#look ?? {};
    return leftMs === null ? null : Math.max(0, leftMs - (this.#now() - at));
  }
}

/** Keeps `rest` up to date with the events of a run. */
export function followRest(rest: Rest): RunListener {
  return {
    onRunStarted: ({ plan, ...beginning }) => {
      rest.begin(plan, beginning);
    },
    onTrialEnded: ({ trial }) => {
      rest.note(trial);
    },
    onTrialQuarantined: ({ repeat }) => {
      rest.noteQuarantined(repeat);
    },
    onSpareBlock: ({ jobs }) => {
      rest.add(jobs);
    },
    onWindowChosen: ({ firstMs, thenMs }) => {
      rest.lengthen(thenMs - firstMs);
    },
    onLook: (look) => {
      rest.take(look);
    },
  };
}
