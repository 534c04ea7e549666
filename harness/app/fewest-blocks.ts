import { FarmError } from '../errors.ts';
import { firstRoundBlocks } from '../model/plan.ts';
import { smallestBlocks } from '../analysis/stats/mixture-test.ts';
import { defaultAlpha } from '../analysis/stats/verdict.ts';

/** The fewest blocks after which a comparison of two alike sides may have a verdict. */
export function fewestBlocks(alpha = defaultAlpha): number {
  return Math.max(firstRoundBlocks, smallestBlocks(alpha, firstRoundBlocks));
}

/**
 * Of all blocks, those that a disturbed machine spoils count for nothing: as few as this are enough
 * only where none is.
 * @throws FarmError `bad-argument` for fewer blocks than any interval takes.
 */
export function refuseTooFew(maxBlocks: number, least = fewestBlocks()): void {
  if (maxBlocks >= least) return;
  throw new FarmError('bad-argument', {
    what: `${String(maxBlocks)} blocks cannot decide anything.`,
    next: `It takes at least ${String(least)} blocks that count: --max-blocks ${String(least)} or, as a disturbed one does not, some more.`,
  });
}
