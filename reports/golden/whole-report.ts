import '../../harness/features.ts';
import { addedSections } from '../../harness/core/app/extensions.ts';
import type { Findings } from '../../harness/core/results/index.ts';
import { renderComparison } from '../comparison.ts';

/** The report as the farm writes it: with the sections of all features. */
export async function renderWhole(findings: Findings): Promise<string> {
  return renderComparison(findings, await addedSections());
}
