import type { Claim } from '../claim.ts';
import { warmCalls } from './fib-arms.ts';
import { fileClaims } from './files.ts';
import { hashClaims } from './hashes.ts';
import { browserClaims } from './recursion-browsers.ts';
import { memoClaims } from './recursion-memo.ts';
import { threadClaims } from './recursion-threads.ts';
import { serverClaims } from './servers.ts';
import { startClaims } from './threads.ts';

/** Every published claim that the farm knows, in the order of their sources. */
export const claims: readonly Claim[] = [
  ...[...threadClaims, ...browserClaims, ...memoClaims].map(noteWarmCalls),
  ...fileClaims,
  ...hashClaims,
  ...serverClaims,
  ...startClaims,
];

function noteWarmCalls(claim: Claim): Claim {
  const { ask } = claim;
  return { ...claim, ask: { ...ask, notes: [...ask.notes, warmCalls] } };
}
