import type { Findings } from '../harness/core/results/index.ts';
import { placed, renderReport, type Section } from './sections/report.ts';
import { comparisonSection } from './sections/comparison-table.ts';
import { casesIn } from './sections/cases.ts';
import { cpuSection } from './sections/cpu.ts';
import { crossoverSection } from './sections/crossover.ts';
import { embeddedFindings } from './sections/data.ts';
import { growthSection } from './sections/growth.ts';
import {
  dataSection,
  environmentSection,
  methodSection,
  repeatSection,
  runDifferencesSection,
} from './sections/method.ts';
import { steadyStateSection } from './sections/steady-state.ts';
import { summarySection } from './sections/summary.ts';
import { targetsSection } from './sections/targets.ts';
import { troublesSection } from './sections/troubles.ts';
import { truthSection } from './sections/truth.ts';
import { headline } from './wording/headline.ts';
import { makeLegend } from './wording/legend.ts';

/** The sections of a run's report, in their order. */
export const sections: readonly Section[] = [
  summarySection,
  runDifferencesSection,
  targetsSection,
  comparisonSection,
  steadyStateSection,
  growthSection,
  crossoverSection,
  truthSection,
  cpuSection,
  troublesSection,
  environmentSection,
  methodSection,
  repeatSection,
  dataSection,
];

/**
 * The report of a run, or of several next to each other: one HTML file that needs no network and no
 * JavaScript, made of nothing but its arguments.
 * @param added sections of features
 */
export async function renderComparison(
  findings: Findings,
  added: readonly Section[] = [],
): Promise<string> {
  const legend = makeLegend(findings.targets);
  return renderReport({
    ...findings,
    kind: 'comparison',
    finding: headline(findings, legend),
    sections: placed(sections, added),
    input: { findings, legend, cases: casesIn(findings) },
    dataOf: (cases) => embeddedFindings(findings, cases),
  });
}
