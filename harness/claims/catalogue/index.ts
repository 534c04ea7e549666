import type { Claim } from '../claim.ts';
import { browserClaims } from './recursion-browsers.ts';
import { memoClaims } from './recursion-memo.ts';
import { threadClaims } from './recursion-threads.ts';

/** Every published claim that the farm knows, in the order of their sources. */
export const claims: readonly Claim[] = [...threadClaims, ...browserClaims, ...memoClaims];
