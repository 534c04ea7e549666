import { runCircumstances, type Pair } from '../analysis/decisions.ts';
import { endsRound, standingOf, type Standing } from '../analysis/sequential.ts';
import type { Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';

export interface Watching {
  readonly margin: number;
  readonly alpha: number;
  /** Milliseconds; a block that would not end in time is not begun, but for those of the first round. */
  readonly budget?: number | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

export interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): Standing;
}

/** Looks after every round: that is allowed, the test is made for it. */
export function watchBlocks(plan: Plan, pairs: readonly Pair[], watching: Watching): BlockWatch {
  const { margin, alpha, budget = Infinity, now = () => performance.now() } = watching;
  const rules = { margin, alpha, ...runCircumstances(plan) };
  const startedAt = now();
  let standing: Standing = { kind: 'go-on' };
  return {
    standing: () => standing,
    enough(trials) {
      if (!endsRound(plan, trials)) return false;
      standing = standingOf(trials, pairs, rules);
      const elapsed = now() - startedAt;
      // After the first, a round is one block.
      const another = elapsed + elapsed / blocksNow(plan, trials);
      return standing.kind !== 'go-on' || another > budget;
    },
  };
}

/** Blocks of which this plan did a trial; of those it found done, the watch saw no time go by. */
function blocksNow({ done }: Plan, trials: readonly Trial[]): number {
  const ours = trials.filter(({ job }) => done?.has(job.ordinal) !== true);
  return new Set(ours.map(({ job }) => job.block)).size;
}
