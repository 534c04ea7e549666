import type { Findings } from './findings.ts';
import { html, type Content, type Html } from './html/escape.ts';
import { page } from './html/page.ts';
import { comparisonSection } from './sections/comparison-table.ts';
import { cpuCases, cpuSection } from './sections/cpu.ts';
import { embeddedFindings } from './sections/data.ts';
import { growthSection } from './sections/growth.ts';
import { legendOf } from './sections/legend.ts';
import {
  dataSection,
  environmentSection,
  methodSection,
  repeatSection,
} from './sections/method.ts';
import { pairOutcome } from './sections/pair-outcome.ts';
import { summary } from './sections/summary.ts';
import { targetsSection } from './sections/targets.ts';
import { troublesSection } from './sections/troubles.ts';
import { truthSection } from './sections/truth.ts';

/**
 * The comparison report: one HTML file that needs no network and no JavaScript, made of nothing but its
 * arguments. The chart library is loaded only when there is a chart to draw.
 */
export async function renderComparison(findings: Findings): Promise<string> {
  const legend = legendOf(findings.targets);
  const cases = cpuCases(findings);
  const pair = await pairOutcome(findings, legend);
  const growth = await growthSection(findings, legend);
  const truth = await truthSection(findings, legend);
  const sections = [
    summary(findings, { legend, pair }),
    targetsSection(findings.targets, legend),
    comparisonSection(findings, legend),
    growth,
    truth,
    cpuSection(cases, findings, legend),
    troublesSection(findings, legend),
    environmentSection(findings),
    methodSection(findings),
    repeatSection(findings),
    dataSection(findings, { file: fileName(findings) }),
  ];
  return page({
    title: findings.title,
    body: frame(findings, {
      sections,
      optional: [
        ...(growth === false ? [] : [['growth', 'Growth'] as const]),
        ...(truth === false ? [] : [['truth', 'Recorded against true'] as const]),
      ],
    }),
    data: embeddedFindings(findings, cases),
  });
}

/** Name that the downloaded data get. */
function fileName({ runs }: Findings): string {
  return ['crossfarm', ...runs.map((run) => `run-${String(run.id)}`)].join('-') + '.json';
}

function frame(
  { title, writtenAt, farmVersion }: Findings,
  { sections, optional }: { readonly sections: readonly Content[]; readonly optional: Links },
): Html {
  return html`<a class="skip" href="#in-short">Skip to the findings</a>
    <header>
      <p class="kicker">crossfarm · comparison</p>
      <h1><bdi>${title}</bdi></h1>
      <p class="soft">
        Written <time datetime="${writtenAt}">${readableDate(writtenAt)}</time> by crossfarm
        ${farmVersion}.
      </p>
      ${contents(optional)}
    </header>
    <main>${sections}</main>
    <footer>One file, no network: it can be mailed, archived, or attached to a bug.</footer>`;
}

/** `2026-11-21T06:30:00Z` as `2026-11-21 06:30 UTC`; another form is shown as it is. */
function readableDate(iso: string): string {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(iso);
  return parts === null ? iso : `${parts[1] ?? ''} ${parts[2] ?? ''} UTC`;
}

/** Anchors and texts of sections. */
type Links = readonly (readonly [string, string])[];

function contents(optional: Links): Html {
  const links: Links = [
    ['targets', 'Targets'],
    ['comparison', 'Comparison'],
    ...optional,
    ['cpu', 'Cores and threads'],
    ['troubles', 'Failures'],
    ['environment', 'Environment'],
    ['method', 'Method'],
    ['repeat', 'Repeat it'],
    ['data', 'Raw data'],
  ];
  return html`<nav aria-label="Contents">
    <ul>
      ${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}
    </ul>
  </nav>`;
}
