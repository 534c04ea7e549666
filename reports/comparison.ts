import type { Findings } from '../harness/core/results/index.ts';
import type { LinkTrial } from './html/duel.ts';
import { html, renderMarkup } from './html/escape.ts';
import { stylesheetWith } from './html/style.ts';
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
import { glanceSoFar, summarySection } from './sections/summary.ts';
import { targetsSection } from './sections/targets.ts';
import { troublesSection } from './sections/troubles.ts';
import { truthSection } from './sections/truth.ts';
import { browsersAtAGlance, versionsAtAGlance } from './sections/versions.ts';
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

/** The beginning of a report: what stands before the sections of its contents. */
export interface FirstScreen {
  /** The finding in a sentence; null where nothing was compared. */
  readonly heading: string | null;
  readonly markup: string;
}

/** The first screen of a run's report, for a page that has its own frame. */
export async function renderFirstScreen(
  findings: Findings,
  added: readonly Section[] = [],
): Promise<FirstScreen> {
  const legend = makeLegend(findings.targets);
  const input = { findings, legend, cases: casesIn(findings) };
  const whole = placed(sections, added).filter(({ shape }) => shape === 'whole');
  const contents = await Promise.all(whole.map(async ({ render }) => render(input)));
  const leads = whole.find((one, i) => one.leads !== undefined && contents[i] !== false)?.leads;
  return {
    heading: leads === undefined ? headline(findings, legend) : leads.finding(input),
    markup: renderMarkup(html`${contents}`),
  };
}

/** A trial that the reader can open, by its value. */
export interface OpenableTrial {
  readonly caseName: string;
  readonly targetId: string;
  readonly metric: string;
  readonly value: number;
  readonly href: string;
}

/**
 * One case of a run at a glance: its browsers, or all versions of a page, each with its trials and the
 * ratio of each block.
 */
export function renderCase(
  findings: Findings,
  caseName: string,
  trials: readonly OpenableTrial[] = [],
): FirstScreen {
  const legend = makeLegend(findings.targets);
  const part =
    findings.verdicts.baselineVersion === undefined ? onlyCase(findings, caseName) : findings;
  const linkTrial: LinkTrial = (wanted) =>
    trials.find(
      (one) =>
        one.value === wanted.value &&
        one.caseName === wanted.caseName &&
        one.targetId === wanted.targetId &&
        one.metric === wanted.metric,
    )?.href;
  return {
    heading: headline(part, legend),
    markup: renderMarkup(
      html`${versionsAtAGlance(part, legend, linkTrial) || browsersAtAGlance(part, legend, linkTrial)}`,
    ),
  };
}

/** The rows and pairs of a case, with those of other cases that it is compared with. */
function onlyCase(findings: Findings, caseName: string): Findings {
  const pairs = findings.verdicts.pairs.filter(({ a, b }) =>
    [a.caseName, b.caseName].includes(caseName),
  );
  const names = new Set([caseName, ...pairs.flatMap(({ a, b }) => [a.caseName, b.caseName])]);
  return {
    ...findings,
    rows: findings.rows.filter((row) => names.has(row.caseName)),
    verdicts: { ...findings.verdicts, pairs },
  };
}

/** The same of a run that goes on, from what is known of it without an analysis. */
export function renderSoFar(findings: Findings): FirstScreen {
  const legend = makeLegend(findings.targets);
  return {
    heading: headline(findings, legend),
    markup: renderMarkup(html`${glanceSoFar(findings, legend)}`),
  };
}

/**
 * The stylesheet of first screens, for the element of this id alone. Twin drawings, of which a report's
 * reader chooses one, are on a logarithmic axis.
 */
export function firstScreenStyle(id: string, added: readonly Section[] = []): string {
  const parts = placed(sections, added).filter(({ shape }) => shape === 'whole');
  const style = stylesheetWith(parts.map((one) => one.style ?? ''));
  return `#${id}{${style}}#${id} .linear{display:none}`;
}

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
