import type { Parameters } from '../../../model/case.ts';
import type { Quantity } from '../../../model/question.ts';
import type { Product } from '../claim.ts';

/**
 * The tables of a published study, as data: `rebuild.ts` rebuilds them from a run. They decide
 * nothing; claims do.
 */
export interface Study {
  /** The section of the claims: A1, B, B4, C … Its first letter is that of the study. */
  readonly section: string;
  readonly title: string;
  readonly source: string;
  readonly benchmark: string;
  /** A case that only a run about the study has, if other runs have its other cases. */
  readonly onlyWith?: Parameters;
  readonly columns: readonly string[];
  readonly groups: readonly StudyGroup[];
  /** Sentences about the comparison of the two. */
  readonly note: string;
}

/** A group of rows: the published one, and then one for each of our devices. */
export interface StudyGroup {
  readonly label: string;
  /** The unit of the published numbers and of ours; `×` for ratios. */
  readonly unit: string;
  /** One for each column, as printed in the source; null if it has none. */
  readonly published: readonly (string | null)[];
  /** The products whose devices have a row. */
  readonly products: readonly Product[];
  /** Our cell in each column; null for none. */
  readonly cells: readonly (StudyCell | null)[];
}

export interface StudyCell {
  readonly quantity: Quantity;
  /** Parameters that are left out have their defaults. */
  readonly parameters: Parameters;
  /** Makes the cell a ratio: the quantity over that of the same benchmark with these parameters. */
  readonly over?: Parameters;
  /**
   * Makes the cell a ratio: over the first device that can stand for this one, in the same block.
   */
  readonly against?: Product;
  /** Converts ours to the group's unit. */
  readonly factor?: number;
}
