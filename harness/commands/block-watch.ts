import type { Pair } from '../analysis/decisions.ts';
import { endsBlock, standingOf, type Standing } from '../analysis/sequential.ts';
import type { Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';

export interface Watching {
  readonly margin: number;
  readonly alpha: number;
  /** Milliseconds; a block that would not end in time is not begun. */
  readonly budget?: number | undefined;
}

export interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): Standing;
}

/** Looks after every block: that is allowed, the test is made for it. */
export function watchBlocks(plan: Plan, pair: Pair, watching: Watching): BlockWatch {
  const { margin, alpha, budget } = watching;
  const startedAt = performance.now();
  let standing: Standing = { kind: 'go-on' };
  return {
    standing: () => standing,
    enough(trials) {
      const last = trials.at(-1);
      if (last === undefined || !endsBlock(plan, trials)) return false;
      standing = standingOf(trials, [pair], { margin, alpha });
      const blocks = last.job.block + 1;
      const elapsed = performance.now() - startedAt;
      const another = elapsed + elapsed / blocks;
      return standing.kind !== 'go-on' || (budget !== undefined && another > budget);
    },
  };
}
