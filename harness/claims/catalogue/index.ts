import type { Claim } from '../claim.ts';
import { warmCalls } from './fib-lanes.ts';
import { browserClaims } from './recursion-browsers.ts';
import { memoClaims } from './recursion-memo.ts';
import { threadClaims } from './recursion-threads.ts';

/** Every published claim that the farm knows, in the order of their sources. */
export const claims: readonly Claim[] = [...threadClaims, ...browserClaims, ...memoClaims].map(
  noteWarmCalls,
);

function noteWarmCalls(claim: Claim): Claim {
  const { ask } = claim;
  if (ask.kind === 'not-testable') return claim;
  return { ...claim, ask: { ...ask, notes: [...ask.notes, warmCalls] } };
}
