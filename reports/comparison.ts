import type { Findings } from '../harness/results/index.ts';
import { frame, type Links, page } from './html/page.ts';
import { comparisonSection } from './sections/comparison-table.ts';
import { withFigures } from './sections/cpu-figures.ts';
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
import { nightSection } from './sections/night.ts';
import { pairOutcome } from './sections/pair-outcome.ts';
import { rebuiltSection } from './sections/rebuilt.ts';
import { steadyStateSection } from './sections/steady-state.ts';
import { summary } from './sections/summary.ts';
import { targetsSection } from './sections/targets.ts';
import { trendsSection } from './sections/trends.ts';
import { troublesSection } from './sections/troubles.ts';
import { truthSection } from './sections/truth.ts';
import { headline } from './wording/headline.ts';
import { makeLegend } from './wording/legend.ts';
import { nightHeadline } from './wording/night-headline.ts';

/**
 * The comparison report: one HTML file that needs no network and no JavaScript, made of nothing but its
 * arguments. The chart library is loaded only when there is a chart to draw.
 */
export async function renderComparison(findings: Findings): Promise<string> {
  const legend = makeLegend(findings.targets);
  const pair = await pairOutcome(findings, legend);
  const growth = await growthSection(findings, legend);
  const crossover = await crossoverSection(findings, legend);
  const truth = await truthSection(findings, legend);
  const rebuilt = rebuiltSection(findings, legend);
  const night = nightSection(findings, legend);
  const trends = await trendsSection(findings, legend);
  const between = runDifferencesSection(findings);
  const steady = steadyStateSection(findings, legend);
  const before = [
    night,
    summary(findings, { legend, pair }),
    between,
    targetsSection(findings.targets, legend),
  ];
  const after = [steady, trends, rebuilt, growth, crossover, truth];
  const closing = [
    troublesSection(findings, legend),
    environmentSection(findings),
    methodSection(findings),
    repeatSection(findings),
    dataSection(findings, { file: fileName(findings) }),
  ];
  const made = withFigures(findings, legend, (cases) => ({
    title: findings.title,
    body: frame({
      ...findings,
      kind: night === false ? 'comparison' : 'night',
      finding: night === false ? headline(findings, legend) : nightHeadline(findings),
      ...(night === false ? {} : { first: 'night' }),
      links: [
        ...(night === false ? [] : [['night', 'The night'] as const]),
        ...(between === false ? [] : [['between', 'Between the runs'] as const]),
        ['targets', 'Targets'],
        ['comparison', 'Comparison'],
        ...(steady === false ? [] : [['steady', 'Steady state'] as const]),
        ...(trends === false ? [] : [['trends', 'Trends'] as const]),
        ...(rebuilt === false ? [] : [['rebuilt', 'Published tables'] as const]),
        ...(growth === false ? [] : [['growth', 'Growth'] as const]),
        ...(crossover === false ? [] : [['crossover', 'Crossover'] as const]),
        ...(truth === false ? [] : [['truth', 'Recorded against true'] as const]),
        ...closingLinks,
      ],
      sections: [
        ...before,
        comparisonSection(findings, legend, cases),
        ...after,
        cpuSection(cases, findings, { legend, unfolds: 'in the comparison' }),
        ...closing,
      ],
    }),
    data: embeddedFindings(findings, cases),
  }));
  return page(made);
}

const closingLinks: Links = [
  ['cpu', 'Cores and threads'],
  ['troubles', 'Failures'],
  ['environment', 'Environment'],
  ['method', 'Method'],
  ['repeat', 'Repeat it'],
  ['data', 'Raw data'],
];

/** Name that the downloaded data get. */
function fileName({ runs }: Findings): string {
  return ['crossfarm', ...runs.map((run) => `run-${String(run.id)}`)].join('-') + '.json';
}
