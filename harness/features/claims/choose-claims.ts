import { unknownName } from '../../errors.ts';
import { claims } from './catalogue/index.ts';
import type { Claim } from './judging/claim.ts';

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
