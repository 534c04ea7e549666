import { smallestBlocks, type DifferenceMoments } from './mixture-test.ts';
import {
  excludes,
  intersect,
  isWithin,
  logInterval,
  type RunningInterval,
} from './ratio-interval.ts';

/** Beyond so many blocks a projection is no advice any more. */
const horizon = 100_000;

export interface ProjectionRules {
  readonly running: RunningInterval;
  readonly margin: number;
  readonly alpha: number;
}

/**
 * About how many more blocks an undecided comparison needs: a projection, not a promise.
 *
 * Method (plug-in): the blocks to come are taken to have the mean and the mean square spread of
 * those seen, so Σ(d − mean)² grows in proportion to n; the smallest n at which the interval,
 * intersected with that of the looks before, would exclude 0 or lie within the margin is found by
 * doubling and bisection. The mean seen is uncertain, so the answer is of the right size (a factor
 * of two either way is common), and with a true ratio at the margin itself it may be far too small.
 * Fewer than three blocks say nothing of the spread: then it is a lower bound.
 *
 * Null: no single ratio fits all blocks, or more than 100,000 blocks would be needed.
 */
export function moreBlocksNeeded(
  moments: DifferenceMoments,
  { running, margin, alpha }: ProjectionRules,
): number | null {
  if (running.kind === 'empty') return null;
  const settles = (blocks: number): boolean => {
    const look = logInterval(projected(moments, blocks), alpha);
    const seen = intersect(running, look);
    return seen.kind === 'bounded' && (excludes(seen, 0) || isWithin(seen, Math.log1p(margin)));
  };
  const first = Math.max(moments.blocks + 1, smallestBlocks(alpha));
  const found = smallestSuch(settles, first);
  return found === null ? null : found - moments.blocks;
}

function projected(moments: DifferenceMoments, blocks: number): DifferenceMoments {
  return { ...moments, blocks, squares: (moments.squares * blocks) / moments.blocks };
}

/** The smallest integer from `first` on that holds, for a condition that stays true once it is. */
function smallestSuch(holds: (n: number) => boolean, first: number): number | null {
  if (holds(first)) return first;
  let below = first;
  let above = first * 2;
  while (!holds(above)) {
    if (above > horizon) return null;
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}
