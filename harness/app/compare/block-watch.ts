import { chooseWindow, type ChosenWindow } from '../../analysis/chosen-window.ts';
import { type Pair, runCircumstances } from '../../analysis/decisions.ts';
import { endsRound, type StopState, stopState } from '../../analysis/sequential.ts';
import { smallestBlocks } from '../../analysis/stats/mixture-test.ts';
import { defaultAlpha } from '../../analysis/stats/verdict.ts';
import { FarmError } from '../../errors.ts';
import { firstRoundBlocks, type Plan, roundOf } from '../../model/plan.ts';
import type { Trial } from '../../model/trial.ts';
import type { Caller } from '../caller.ts';

export interface Watching {
  readonly margin: number;
  readonly alpha: number;
  /** Milliseconds; a block that would not end in time is not begun, but for those of the first round. */
  readonly budget?: number | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

interface BlockWatch {
  enough(trials: readonly Trial[]): boolean;
  standing(): StopState;
  /** Of the trials after the first round, once it is over; only of a pair that is alone. */
  window(trials: readonly Trial[]): ChosenWindow | null;
}

/** Looks after every round: that is allowed, the test is made for it. */
export function watchBlocks(plan: Plan, pairs: readonly Pair[], watching: Watching): BlockWatch {
  const { margin, alpha, budget = Infinity, now = () => performance.now() } = watching;
  const rules = { margin, alpha, ...runCircumstances(plan) };
  const startedAt = now();
  let standing: StopState = { kind: 'go-on' };
  const [pair, ...others] = pairs;
  const window = (trials: readonly Trial[]): ChosenWindow | null =>
    pair === undefined || others.length > 0 ? null : chooseWindow(plan, pair, trials);
  return {
    standing: () => standing,
    window,
    enough(trials) {
      if (!endsRound(plan, trials)) return false;
      standing = stopState(trials, pairs, rules);
      const elapsed = now() - startedAt;
      return standing.kind !== 'go-on' || elapsed + nextBlock(elapsed, trials) > budget;
    },
  };

  /** After the first, a round is one block; those of the first would have taken longer, timed as it will be. */
  function nextBlock(elapsed: number, trials: readonly Trial[]): number {
    const blocks = blocksNow(plan, trials);
    const { firstMs, thenMs } = window(trials) ?? { firstMs: 0, thenMs: 0 };
    const shorter = blocks.filter((block) => roundOf(plan, block) === 0).length;
    return (elapsed + shorter * 2 * (thenMs - firstMs)) / blocks.length;
  }
}

/** Blocks of which this plan did a trial; of those it found done, the watch saw no time go by. */
function blocksNow({ done }: Plan, trials: readonly Trial[]): readonly number[] {
  const ours = trials.filter(({ job }) => done?.has(job.ordinal) !== true);
  return [...new Set(ours.map(({ job }) => job.block))];
}

/** The fewest blocks after which a comparison of two alike sides may have a verdict. */
export function fewestBlocks(alpha = defaultAlpha): number {
  return Math.max(firstRoundBlocks, smallestBlocks(alpha, firstRoundBlocks));
}

/**
 * Blocks that a disturbed machine spoils count for nothing: as few as the least are enough only where
 * none is, which is said.
 * @throws FarmError `bad-argument` for fewer blocks than any interval takes.
 */
export function checkMaxBlocks(
  maxBlocks: number,
  { say }: Pick<Caller, 'say'>,
  least = fewestBlocks(),
): void {
  if (maxBlocks < least) {
    throw new FarmError('bad-argument', {
      what: `${String(maxBlocks)} blocks cannot decide anything.`,
      next: `It takes at least ${String(least)} blocks that count: --max-blocks ${String(least)} or, as a disturbed one does not, some more.`,
    });
  }
  if (maxBlocks === least) {
    say(
      `with --max-blocks ${String(least)} each block must count: if the machine disturbs one, nothing is decided`,
    );
  }
}
