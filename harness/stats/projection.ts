import {
  evidenceOf,
  isRejected,
  smallestBlocks,
  type Evidence,
  type Side,
} from './mixture-test.ts';
import type { RunningInterval } from './ratio-interval.ts';

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
 * Method (plug-in): the blocks to come are taken to repeat those seen, evenly, so that the logarithm
 * of every bet grows in proportion to n; the smallest n at which the interval, intersected with that
 * of the looks before, would exclude 0 or lie within the margin is found by doubling and bisection.
 * No interval has to be searched for that: its low end lies above a shift when A rejects the shift.
 * What is seen is uncertain, so the answer is of the right size (a factor of two either way is
 * common), and with a true ratio at the margin itself it may be far too small. Fewer than three
 * blocks say nothing of the spread: then it is a lower bound.
 *
 * Null: no single ratio fits all blocks, or more than 100,000 blocks would be needed.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function moreBlocksNeeded(
  differences: readonly number[],
  { running, margin, alpha }: ProjectionRules,
): number | null {
  if (running.kind === 'empty') return null;
  const { low, high } = running.kind === 'open' ? { low: -Infinity, high: Infinity } : running;
  const bound = Math.log1p(margin);
  const atEquality = evidenceOf(differences);
  const atLowMargin = evidenceOf(differences, -bound);
  const atHighMargin = evidenceOf(differences, bound);

  const settles = (blocks: number): boolean => {
    const excluded = (evidence: Evidence, side: Side) =>
      isRejected(projected(evidence, blocks), { side, alpha });
    const isDifferent = excluded(atEquality, 'above') || excluded(atEquality, 'below');
    const isAboveLow = low >= -bound || excluded(atLowMargin, 'above');
    const isBelowHigh = high <= bound || excluded(atHighMargin, 'below');
    return isDifferent || (isAboveLow && isBelowHigh);
  };
  const first = Math.max(differences.length + 1, smallestBlocks(alpha));
  const found = smallestSuch(settles, first);
  return found === null ? null : found - differences.length;
}

/**
 * ln A of this is convex in the number of blocks and at most 0 at none, so once it has reached
 * ln 1/α it stays above it: `smallestSuch` asks for that.
 */
function projected(evidence: Evidence, blocks: number): Evidence {
  const factor = blocks / evidence.blocks;
  return {
    ...evidence,
    blocks,
    sum: evidence.sum * factor,
    logCosh: evidence.logCosh.map((logCosh) => logCosh * factor),
  };
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
