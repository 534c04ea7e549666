import type { CaseRow, Cell } from '../findings.ts';

export type MeasuredCell = Extract<Cell, { kind: 'measured' }>;

/** The best and the worst target of one row, and how far apart they surely are. */
export interface Difference {
  readonly row: CaseRow;
  readonly best: MeasuredCell;
  readonly worst: MeasuredCell;
  /** Larger median / smaller median, at least 1. */
  readonly ratio: number;
  /** Ratio of the nearest ends of the two intervals; above 1 the intervals are apart. */
  readonly low: number;
  /** Ratio of the farthest ends; infinite when the smaller interval reaches 0. */
  readonly high: number;
  /**
   * Least probability that both intervals hold their medians, and so that the ratio lies between
   * `low` and `high`: 1 − (1 − a) − (1 − b), Bonferroni's inequality; it needs no independence.
   */
  readonly confidence: number;
}

export function isMeasured(cell: Cell): cell is MeasuredCell {
  return cell.kind === 'measured';
}

/** The measured cell with the best median, if any. Of equal ones the first. */
export function bestCell(row: CaseRow): MeasuredCell | undefined {
  return ranked(row)[0];
}

function ranked(row: CaseRow): readonly MeasuredCell[] {
  const sign = row.direction === 'lower' ? 1 : -1;
  return row.cells.filter(isMeasured).toSorted((a, b) => sign * (a.median - b.median));
}

/** Null when fewer than two targets have a positive median: there is no ratio then. */
export function differenceOf(row: CaseRow): Difference | null {
  const cells = ranked(row).filter((cell) => cell.median > 0);
  const best = cells[0];
  const worst = cells.at(-1);
  if (best === undefined || worst === undefined || best === worst) return null;
  const [small, large] = row.direction === 'lower' ? [best, worst] : [worst, best];
  return {
    row,
    best,
    worst,
    ratio: large.median / small.median,
    low: large.low / small.high,
    high: small.low > 0 ? large.high / small.low : Infinity,
    confidence: Math.max(0, best.confidence + worst.confidence - 1),
  };
}

/** Whether the two intervals are apart: only then a difference is said to be there. */
export function isApart(difference: Difference): boolean {
  return difference.low > 1;
}

/** All differences whose intervals are apart, the surest large ones (by `low`) first. */
export function apartDifferences(rows: readonly CaseRow[]): readonly Difference[] {
  return rows
    .map(differenceOf)
    .filter((difference) => difference !== null)
    .filter(isApart)
    .toSorted((a, b) => b.low - a.low);
}
