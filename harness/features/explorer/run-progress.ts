import type { History, Progress, StoredProgress } from '../../core/model/history.ts';
import type { Job } from '../../core/model/plan.ts';
import { TimeLeft } from '../../core/run/progress/time-left.ts';
import type { Store } from '../../core/store/store.ts';

/** The estimate of one run so far. */
interface RunEstimate {
  readonly run: number;
  /** More cells are planned while a run goes on: then it is estimated again. */
  readonly planned: number;
  readonly left: TimeLeft;
  readonly jobs: ReadonlyMap<number, Job>;
  /** The newest trial that was noted. */
  trial: number;
}

/**
 * The progress of runs, with an estimate of what is left: by what its trials took so far, and those of
 * the newest runs before. Another process carries the run out, so its plan is read once, and at each
 * question only the trials that were stored since.
 */
export function progressOf(
  history: Pick<History, 'progress' | 'endedSince'>,
  store: Pick<Store, 'readPlan' | 'recentTimes'>,
): (run: number) => Promise<Progress | null> {
  // Of one run, and of the one that began after it.
  const kept = new Map<number, Promise<RunEstimate | null>>();
  const begin = async ({ run, counts }: StoredProgress): Promise<RunEstimate | null> => {
    const plan = await store.readPlan(run);
    if (plan === null) return null;
    const jobs = new Map(plan.jobs.map((job) => [job.ordinal, job]));
    const left = new TimeLeft(plan, await store.recentTimes());
    return { run, planned: counts.planned, left, jobs, trial: 0 };
  };
  const reckon = async (progress: StoredProgress): Promise<RunEstimate | null> => {
    const known = await kept.get(progress.run);
    if (known?.planned === progress.counts.planned) return known;
    const beginning = begin(progress);
    kept.set(progress.run, beginning);
    beginning.catch(() => kept.delete(progress.run));
    return beginning;
  };
  return async (run) => {
    const progress = await history.progress(run);
    if (progress === null) return null;
    if (progress.status !== 'running') {
      kept.delete(run);
      return { ...progress, leftMs: null };
    }
    const reckoned = await reckon(progress);
    if (reckoned === null) return { ...progress, leftMs: null };
    const ended = await history.endedSince(run, reckoned.trial);
    for (const { trial, ordinal, wallMs } of ended) {
      const job = reckoned.jobs.get(ordinal);
      // Two questions at once may have read the same trials.
      if (job === undefined || trial <= reckoned.trial) continue;
      reckoned.left.note(job, wallMs);
      reckoned.trial = trial;
    }
    return { ...progress, leftMs: reckoned.left.isKnown() ? reckoned.left.estimate() : null };
  };
}
