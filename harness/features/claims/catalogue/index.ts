import type { Claim } from '../judging/claim.ts';
import { singleCalls, warmCalls } from './fib-arms.ts';
import { fileClaims } from './files.ts';
import { hashClaims } from './hashes.ts';
import { browserClaims } from './recursion-browsers.ts';
import { memoClaims } from './recursion-memo.ts';
import { subWorkerClaim, threadClaims } from './recursion-threads.ts';
import { serverClaims } from './servers.ts';
import { startClaims } from './threads.ts';
import { unknownName } from '../../../core/errors.ts';

/** Every published claim that the farm knows, in the order of their sources. */
export const claims: readonly Claim[] = [
  ...recursionClaims().map(noteWarmCalls),
  ...fileClaims,
  ...hashClaims,
  ...serverClaims,
  ...startClaims,
];

/** In the order of their numbers: A16 is another browser against another. */
function recursionClaims(): readonly Claim[] {
  const busy = browserClaims.filter(({ id }) => id === 'A16');
  const others = browserClaims.filter((one) => !busy.includes(one));
  return [...threadClaims, ...others, ...memoClaims, subWorkerClaim, ...busy];
}

function noteWarmCalls(claim: Claim): Claim {
  const { ask } = claim;
  if (ask.measurement === singleCalls) return claim;
  return { ...claim, ask: { ...ask, notes: [...ask.notes, warmCalls] } };
}

/**
 * Chooses claims by id, or by the letter of their section; each once, in the catalogue's order.
 * @throws FarmError `unknown-claim`
 */
export function chooseClaims(names: readonly string[]): readonly Claim[] {
  const wanted = names.map((name) => name.toUpperCase());
  const sections = [...new Set(claims.map(({ id }) => id.charAt(0)))];
  const known = [...sections, ...claims.map(({ id }) => id)];
  wanted.forEach((seen, index) => {
    if (seen === 'ALL' || known.includes(seen)) return;
    throw unknownName('unknown-claim', { kind: 'claim', seen: names[index] ?? seen, known });
  });
  return claims.filter(
    ({ id }) => wanted.includes('ALL') || wanted.includes(id) || wanted.includes(id.charAt(0)),
  );
}
