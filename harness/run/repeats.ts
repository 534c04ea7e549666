import type { Job, Plan } from '../model/plan.ts';
import { deservesRepeat, type Trial } from '../model/trial.ts';

/**
 * Plans the one repeat of a trial that is quarantined, with an ordinal after all others.
 *
 * It runs right after its trial, so that it stands in the same place of its block: the order of a
 * block stays the one that was drawn, which is what makes the comparison exact. It always gets a
 * session of its own, because trials of one case never share one.
 */
export class Repeats {
  private readonly plan: Plan;
  private next: number;

  constructor(plan: Plan) {
    this.plan = plan;
    this.next = plan.jobs.reduce((highest, job) => Math.max(highest, job.ordinal), -1) + 1;
  }

  /** The repeat of a trial that has just ended; null when it counts, or may not be repeated. */
  after(trial: Trial): Job | null {
    if (!deservesRepeat(trial, this.plan)) return null;
    const { job } = trial;
    const ordinal = this.next;
    this.next += 1;
    return { ...job, ordinal, sessionKey: `${job.sessionKey}/repeat`, repeats: job.ordinal };
  }
}
