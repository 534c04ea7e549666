import type { CaseRow } from '../../harness/results/index.ts';

/** The short name of a case, by its canonical one; that itself where the report has no such row. */
export function caseLabel(rows: readonly CaseRow[], caseName: string): string {
  return rows.find((row) => row.caseName === caseName)?.label ?? caseName;
}
