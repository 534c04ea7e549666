/** A published table beside our own numbers; a part of the contract in `findings.ts`. */
import type { Measured, PartVerdict } from './evidence-findings.ts';

export interface RebuiltTable {
  /** Of the claims: A1, B, B4, C … */
  readonly section: string;
  readonly title: string;
  readonly source: string;
  readonly columns: readonly string[];
  readonly groups: readonly RebuiltGroup[];
  readonly note: string;
}

/** A sentence that the studies published, and what this farm says of it. */
export interface ClaimFacts {
  readonly id: string;
  readonly sentence: string;
  readonly published: string;
  readonly verdict: 'confirmed' | 'refuted' | 'inconclusive' | 'not-testable';
  /** Null while nothing was measured. */
  readonly directionVerdict: PartVerdict | null;
  readonly sizeVerdict: PartVerdict | null;
  /** What was shown of both, in one line; or why there is nothing to show. */
  readonly headline: string;
  /** Of what tells most; null while nothing was measured. */
  readonly measured: (Measured & { readonly unit: string }) | null;
  /** Run that answered it; null while none has. */
  readonly run: number | null;
  readonly command: string;
}

export interface RebuiltGroup {
  readonly label: string;
  readonly unit: string;
  /** As printed in the source, one for each column; null where it says nothing. */
  readonly published: readonly (string | null)[];
  readonly rows: readonly RebuiltRow[];
}

export interface RebuiltRow {
  readonly targetId: string;
  /** One for each column; null where nothing was measured. */
  readonly cells: readonly (RebuiltCell | null)[];
}

export interface RebuiltCell extends Measured {
  readonly trials: number;
}
