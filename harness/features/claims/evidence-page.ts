import type { EvidenceFindings } from '../../core/results/index.ts';
import { type Content, html } from '../../../reports/html/escape.ts';
import { formatConfidence } from '../../../reports/html/number.ts';
import { renderReport, type ReportInput, type Section } from '../../../reports/sections/report.ts';
import { casesIn } from '../../../reports/sections/cases.ts';
import { comparisonSection, comparisonTables } from '../../../reports/sections/comparison-table.ts';
import { cpuContent, cpuSection } from '../../../reports/sections/cpu.ts';
import { embeddedFindings } from '../../../reports/sections/data.ts';
import {
  assertionsSection,
  counterfactualsSection,
  leadSection,
} from '../../../reports/sections/evidence.ts';
import { growthSection } from '../../../reports/sections/growth.ts';
import {
  caseCommands,
  dataSection,
  dataText,
  environmentSection,
  methodSection,
  methodText,
} from '../../../reports/sections/method.ts';
import { targetsSection } from '../../../reports/sections/targets.ts';
import { troublesSection } from '../../../reports/sections/troubles.ts';
import { askedAndAnswered } from '../../../reports/wording/evidence.ts';
import { makeLegend } from '../../../reports/wording/legend.ts';

interface EvidenceInput extends ReportInput {
  readonly evidence: EvidenceFindings;
}

/** Of a claim of which something was measured. The tables do not unfold: figures stand with their cases. */
const measured: readonly Section<EvidenceInput>[] = [
  {
    ...cpuSection,
    render: ({ findings, legend, cases }) =>
      cpuContent(cases, findings, { legend, unfolds: 'here' }),
  },
  {
    ...comparisonSection,
    render: ({ findings, legend }) => comparisonTables(findings, legend, []),
  },
  growthSection,
  targetsSection,
  troublesSection,
  environmentSection,
  {
    ...methodSection,
    render: ({ findings, evidence }) => methodText(findings, howItWasJudged(evidence)),
  },
];

const repeat: Section<Pick<EvidenceInput, 'evidence'>> = {
  id: 'repeat',
  title: 'Repeat it',
  script: { file: 'commands.js', start: 'offerDevices' },
  shape: 'open',
  render: ({ evidence: { command, findings } }) =>
    command !== '' &&
    html`<pre><code data-copy>${command}</code></pre>
      ${findings !== null && caseCommands(findings.rows)}`,
};

const data: Section<EvidenceInput> = {
  ...dataSection,
  render: ({ findings, evidence }) => dataText(findings, fileName(evidence)),
};

/**
 * The evidence for one claim or anomaly: what was published, what was measured, whether they agree,
 * and why. One HTML file by the same rules as the comparison; where nothing could be
 * run it is short, and says what is missing.
 */
export async function renderEvidence(evidence: EvidenceFindings): Promise<string> {
  const { findings } = evidence;
  const title = askedAndAnswered(evidence);
  const legend = makeLegend(findings?.targets ?? []);
  const facts = { ...evidence, kind: 'evidence', title };
  const asked = [leadSection, assertionsSection, counterfactualsSection];
  if (findings === null) {
    return renderReport({
      ...facts,
      sections: [...asked, repeat],
      input: { evidence, legend, cases: [] },
      dataOf: () => ({ ...evidence, format: 'crossfarm-evidence-1' }),
    });
  }
  return renderReport({
    ...facts,
    sections: [...asked, ...measured, repeat, data],
    input: { evidence, findings, legend, cases: casesIn(findings) },
    dataOf: (cases) => ({
      ...evidence,
      format: 'crossfarm-evidence-1',
      findings: embeddedFindings(findings, cases),
    }),
  });
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

/** Name that the downloaded data get; an id is made of letters and digits, but it may come from a bundle. */
function fileName({ claim, findings }: EvidenceFindings): string {
  const id = claim.id.replace(/[^A-Za-z0-9-]/g, '').slice(0, 40);
  const parts = [
    'crossfarm',
    'evidence',
    id,
    ...(findings?.runs ?? []).map((run) => `run-${String(run.id)}`),
  ];
  return `${parts.filter((part) => part !== '').join('-')}.json`;
}
