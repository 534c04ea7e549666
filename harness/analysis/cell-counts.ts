import type { CellCounts } from '../model/run.ts';
import type { Trial } from '../model/trial.ts';

/** How many planned cells ended how. */
export function countCells(planned: number, trials: readonly Trial[]): CellCounts {
  const count = (kind: Trial['outcome']['kind']): number =>
    trials.filter((trial) => trial.outcome.kind === kind).length;
  return {
    planned,
    completed: count('completed'),
    failed: count('failed'),
    timedOut: count('timed-out'),
    skipped: count('skipped'),
  };
}
