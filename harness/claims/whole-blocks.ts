import { laneKey, lanesOf, type Question } from '../model/question.ts';
import type { Trial } from '../model/trial.ts';

/**
 * The trials without those of a last block that was broken off. Which sides it still got depends on
 * how long the others took, so its values are no fair sample.
 */
export function wholeBlocks(question: Question, trials: readonly Trial[]): readonly Trial[] {
  const last = trials.reduce((most, { job }) => Math.max(most, job.block), -1);
  const there = new Set(trials.flatMap(({ job }) => (job.block === last ? [laneKey(job)] : [])));
  if (lanesOf(question).every((lane) => there.has(laneKey(lane)))) return trials;
  return trials.filter(({ job }) => job.block !== last);
}
