import type { Parameters } from '../../../model/case.ts';
import type { Quantity } from '../../../model/question.ts';
import type { Product } from '../claim.ts';

/**
 * A published study's own tables, as data: `rebuild.ts` makes them anew from a run of ours. Nothing
 * here decides anything; that is what claims are for.
 */
export interface Study {
  /** Of the claims: A1, B, B4, C … Its first letter is that of the study. */
  readonly section: string;
  readonly title: string;
  readonly source: string;
  readonly benchmark: string;
  /** Where others of its cases are run for other reasons, too: the one that only a run about the study has. */
  readonly onlyWith?: Parameters;
  readonly columns: readonly string[];
  readonly groups: readonly StudyGroup[];
  /** What a reader must know to compare the two, in sentences. */
  readonly note: string;
}

/** Rows that belong together: what was published, and then one row for each device of ours. */
export interface StudyGroup {
  readonly label: string;
  /** Of the published numbers and of ours; `×` for ratios. */
  readonly unit: string;
  /** One for each column, as printed in the source; null where it says nothing. */
  readonly published: readonly (string | null)[];
  /** Whose devices have a row of their own. */
  readonly products: readonly Product[];
  /** What of ours stands in each column; null where nothing does. */
  readonly cells: readonly (StudyCell | null)[];
}

export interface StudyCell {
  readonly quantity: Quantity;
  /** Parameters that are left out have their defaults. */
  readonly parameters: Parameters;
  /** The cell is a ratio: the quantity over that of the same benchmark with these parameters. */
  readonly over?: Parameters;
  /** The cell is a ratio: over the first device that can stand for this one, in the same block. */
  readonly against?: Product;
  /** Ours × factor is in the group's unit. */
  readonly factor?: number;
}
