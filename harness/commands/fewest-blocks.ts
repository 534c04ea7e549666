import { FarmError } from '../errors.ts';
import { smallestValues } from '../stats/median-sequence.ts';
import { smallestBlocks } from '../stats/mixture-test.ts';
import { defaultAlpha } from '../stats/verdict.ts';

/** @throws FarmError `bad-argument` for fewer blocks than any interval takes. */
export function refuseTooFew(maxBlocks: number): void {
  const least = Math.max(smallestBlocks(defaultAlpha), smallestValues(defaultAlpha));
  if (maxBlocks >= least) return;
  throw new FarmError('bad-argument', {
    what: `${String(maxBlocks)} blocks cannot decide anything.`,
    next: `It takes at least ${String(least)} blocks: --max-blocks ${String(least)} or more.`,
  });
}
