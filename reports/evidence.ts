import type { EvidenceFindings, Findings } from '../harness/results/index.ts';
import { type Content, html, type Html } from './html/escape.ts';
import { formatConfidence } from './html/number.ts';
import { frame, page, type Page } from './html/page.ts';
import { comparisonSection } from './sections/comparison-table.ts';
import { withFigures } from './sections/cpu-figures.ts';
import type { CpuCase } from './sections/cpu-case.ts';
import { cpuSection } from './sections/cpu.ts';
import { embeddedFindings } from './sections/data.ts';
import { assertionsSection, counterfactualsSection, evidenceLead } from './sections/evidence.ts';
import { growthSection } from './sections/growth.ts';
import { caseCommands, dataSection, environmentSection, methodSection } from './sections/method.ts';
import { targetsSection } from './sections/targets.ts';
import { troublesSection } from './sections/troubles.ts';
import { askedAndAnswered } from './wording/evidence.ts';
import { type Legend, makeLegend } from './wording/legend.ts';

/**
 * The evidence for one claim or anomaly: what was published, what was measured, whether they agree,
 * and why. One HTML file by the same rules as the comparison; where nothing could be
 * run it is short, and says what is missing.
 */
export async function renderEvidence(evidence: EvidenceFindings): Promise<string> {
  const { findings } = evidence;
  const legend = makeLegend(findings?.targets ?? []);
  const asked: readonly Part[] = [
    ['assertions', 'Assertions', assertionsSection(evidence.assertions)],
    ['counterfactuals', 'Counterfactuals', counterfactualsSection(evidence.counterfactuals)],
  ];
  const last: Part = ['repeat', 'Repeat it', repeatSection(evidence)];
  if (findings === null) return page(pageOf(evidence, legend, { parts: [...asked, last] }));
  const measured = await measuredParts(evidence, findings, legend);
  const file = fileName(evidence, findings);
  const data: Part = ['data', 'Raw data', dataSection(findings, { file })];
  const made = withFigures(findings, legend, (cases) => {
    const cpu: Part = [
      'cpu',
      'Cores and threads',
      cpuSection(cases, findings, { legend, unfolds: 'here' }),
    ];
    return pageOf(evidence, legend, { parts: [...asked, cpu, ...measured, last, data], cases });
  });
  return page(made);
}

interface Parts {
  readonly parts: readonly Part[];
  readonly cases?: readonly CpuCase[];
}

function pageOf(evidence: EvidenceFindings, legend: Legend, { parts, cases = [] }: Parts): Page {
  const present = parts.filter(([, , content]) => content !== false);
  const title = askedAndAnswered(evidence);
  return {
    title,
    body: frame({
      ...evidence,
      title,
      kind: 'evidence',
      links: present.map(([id, text]) => [id, text]),
      sections: [evidenceLead(evidence, legend), ...present.map(([, , content]) => content)],
    }),
    data: embedded(evidence, cases),
  };
}

/** Anchor, text in the contents, and the section itself; false when there is nothing to show. */
type Part = readonly [id: string, text: string, section: Html | false];

async function measuredParts(
  evidence: EvidenceFindings,
  findings: Findings,
  legend: Legend,
): Promise<readonly Part[]> {
  return [
    ['comparison', 'Comparison', comparisonSection(findings, legend)],
    ['growth', 'Growth', await growthSection(findings, legend)],
    ['targets', 'Targets', targetsSection(findings.targets, legend)],
    ['troubles', 'Failures', troublesSection(findings, legend)],
    ['environment', 'Environment', environmentSection(findings)],
    ['method', 'Method', methodSection(findings, howItWasJudged(evidence))],
  ];
}

function howItWasJudged({ confidence, counterfactuals }: EvidenceFindings): Content {
  return html`<p>
    A claim was turned into assertions about numbers before anything was run. All that they need ran
    in the same blocks, until every assertion was decided or the budget was spent. Each interval
    holds at every look at once with a probability of at least ${formatConfidence(confidence)}: of a
    ratio, the one of both sides in each block; of a level, the one of the median over blocks. An
    assertion holds when its whole interval lies where it is expected to, fails when it lies wholly
    elsewhere, and is open
    otherwise.${counterfactuals.length > 0 && html` The share that a suspected cause explains is what went when it was switched off, over the whole effect: of ratios by their logarithms, so that shares of independent causes add up.`}
  </p>`;
}

function repeatSection({ command, findings }: EvidenceFindings): Html | false {
  if (command === '') return false;
  return html`<section aria-labelledby="repeat">
    <h2 id="repeat">Repeat it</h2>
    <pre><code data-copy>${command}</code></pre>
    ${findings !== null && caseCommands(findings.rows)}
  </section> `;
}

/** Name that the downloaded data get; an id is made of letters and digits, but it may come from a bundle. */
function fileName({ claim }: EvidenceFindings, { runs }: Findings): string {
  const id = claim.id.replace(/[^A-Za-z0-9-]/g, '').slice(0, 40);
  const parts = ['crossfarm', 'evidence', id, ...runs.map((run) => `run-${String(run.id)}`)];
  return `${parts.filter((part) => part !== '').join('-')}.json`;
}

function embedded(evidence: EvidenceFindings, cases: readonly CpuCase[]): unknown {
  const { findings } = evidence;
  return {
    ...evidence,
    format: 'crossfarm-evidence-1',
    findings: findings === null ? null : embeddedFindings(findings, cases),
  };
}
