import { FarmError } from '../errors.ts';
import { firstRoundBlocks } from '../model/plan.ts';
import { smallestValues } from '../stats/median-sequence.ts';
import { smallestBlocks } from '../stats/mixture-test.ts';
import { defaultAlpha } from '../stats/verdict.ts';

/**
 * Of all blocks, those that a disturbed machine spoils count for nothing: as few as this are enough
 * only where none is.
 * @throws FarmError `bad-argument` for fewer blocks than any interval takes at this error rate.
 */
export function refuseTooFew(maxBlocks: number, alpha = defaultAlpha): void {
  const least = Math.max(smallestBlocks(alpha), smallestValues(alpha), firstRoundBlocks);
  if (maxBlocks >= least) return;
  throw new FarmError('bad-argument', {
    what: `${String(maxBlocks)} blocks cannot decide anything.`,
    next: `It takes at least ${String(least)} blocks that count: --max-blocks ${String(least)} or, as a disturbed one does not, some more.`,
  });
}
