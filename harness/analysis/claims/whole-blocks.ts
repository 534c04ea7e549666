import { armKey, armsOf, type Question } from '../../model/question.ts';
import type { Trial } from '../../model/trial.ts';

/**
 * The trials without those of a last block that was broken off. Which sides it still got depends on
 * how long the others took, so its values are no fair sample.
 */
export function wholeBlocks(question: Question, trials: readonly Trial[]): readonly Trial[] {
  const last = trials.reduce((most, { job }) => Math.max(most, job.block), -1);
  const tried = trials.filter(
    ({ job, outcome }) => job.block === last && outcome.kind !== 'skipped',
  );
  const there = new Set(tried.map(({ job }) => armKey(job)));
  if (armsOf(question).every((arm) => there.has(armKey(arm)))) return trials;
  return trials.filter(({ job }) => job.block !== last);
}
