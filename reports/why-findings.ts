/** What may be asked about a difference: a part of the contract in `findings.ts`. */
import type { Side } from './findings.ts';

/** A published claim about the very things that some pairs of a report compare. */
export interface FittingClaim {
  readonly id: string;
  readonly sentence: string;
  /** Measures it, in blocks, with its suspects switched off where it names any. */
  readonly command: string;
  readonly pairs: readonly { readonly a: Side; readonly b: Side }[];
}
