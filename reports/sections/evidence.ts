import type {
  AssertionFacts,
  CounterfactualFacts,
  EvidenceFindings,
} from '../../harness/core/results/index.ts';
import type { Section } from './report.ts';
import { type Content, html, type Html } from '../html/escape.ts';
import { drawForest, type ForestRow } from '../html/forest.ts';
import { formatConfidence, missingMark, plural } from '../html/number.ts';
import { type Row, table } from '../html/table.ts';
import {
  asPercent,
  measuredSentence,
  dividedRatios,
  measuredWords,
  outcomeMark,
  verdictMark,
} from '../wording/evidence.ts';
import type { Legend } from '../wording/legend.ts';
import { cautions, smokeTest, whatWasMeasured } from './summary.ts';

/** The first screen: the claim, the verdict, published and measured values, and why. */
export const leadSection: Section<EvidenceInput> = {
  id: 'in-short',
  title: 'In short',
  shape: 'whole',
  style: `
blockquote{margin:.5rem 0 .75rem;padding:.1rem 0 .1rem 1.1rem;border-left:4px solid var(--strong);font-size:1.2rem;max-width:46rem}
blockquote p{margin:0}
.key{display:inline-block;width:14px;height:14px;vertical-align:-2px}`,
  render: ({ evidence, legend }) => lead(evidence, legend),
};

interface EvidenceInput {
  readonly evidence: EvidenceFindings;
  readonly legend: Legend;
}

function lead(evidence: EvidenceFindings, legend: Legend): Html {
  const { claim, verdict, headline, reason, findings, notes } = evidence;
  return html`<section class="lead" aria-labelledby="in-short">
    <h2 id="in-short">In short</h2>
    <blockquote><p>${claim.sentence}</p></blockquote>
    <p class="soft">
      ${claim.source !== '' && html`${claim.source}.`}
      ${claim.published !== '' && html`Published: ${claim.published}.`}
    </p>
    <p>
      ${verdictMark(verdict)}${findings !== null && headline !== '' && html` <b>${headline}</b>`}
    </p>
    ${findings === null ? html`<p>${reason}</p>` : answers(evidence)}
    ${publishedBesideMeasured(evidence)} ${explanations(evidence)}
    ${findings !== null && html`<p>${whatWasMeasured(findings, legend)}</p>`}
    ${findings !== null && findings.runs.map(smokeTest)}
    ${cautions([...notes, ...(findings?.cautions ?? [])])}
  </section> `;
}

function answers({ direction, size, unsettled, reason }: EvidenceFindings): Html {
  const facts = [
    ['Direction', direction],
    ['Size', size],
    ['Not settled', unsettled ?? ''],
    ['Rests on', reason],
  ] as const;
  return html`<dl class="facts">
    ${facts
      .filter(([, text]) => text !== '')
      .map(
        ([label, text]) =>
          html`<dt>${label}</dt>
            <dd>${text}</dd> `,
      )}
  </dl>`;
}

function explanations({ explanations: all }: EvidenceFindings): Html | false {
  if (all.length === 0) return false;
  return html`<h3>What the claim does not say, and was seen</h3>
    <ul>
      ${all.map((one) => html`<li>${one}</li> `)}
    </ul>`;
}

/** The published and the measured numbers of a claim, with a key to their marks. */
function publishedBesideMeasured({ assertions, confidence }: EvidenceFindings): Html | false {
  if (assertions.length === 0) return false;
  return html`<h3>Published and measured</h3>
    <p class="soft">
      ${forestKey()} with its interval, which holds at every look with
      ${formatConfidence(confidence)} (hollow: too few blocks for one).
    </p>
    ${drawAssertions(assertions)}`;
}

/**
 * One chart of the ratios, and one for the levels of each unit, or of each quantity without a unit.
 * Charts of ratios reach these values in any case: so those of many claims have one axis.
 */
export function drawAssertions(
  assertions: readonly AssertionFacts[],
  reaches: readonly number[] = [],
): readonly Html[] {
  const groups = new Map<string, AssertionFacts[]>();
  for (const one of assertions) {
    const axis = one.unit === '' ? one.quantity : one.unit;
    const key = one.kind === 'ratio' ? one.kind : `${one.kind} ${axis}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()].map((group) => chart(group, reaches));
}

/** The meaning of the marks of such charts. */
export function forestKey(): Html {
  return html`<svg class="key" viewBox="-7 -7 14 14" aria-hidden="true">
      <path fill="none" stroke="currentColor" stroke-width="1.5" d="M0-6 6 0 0 6-6 0z" />
    </svg>
    published (a pale bar joins both ends of a range),
    <svg class="key c0" viewBox="-7 -7 14 14" aria-hidden="true">
      <circle r="5" fill="currentColor" />
    </svg>
    measured`;
}

function chart(group: readonly AssertionFacts[], reaches: readonly number[]): Html {
  const [first] = group;
  if (first === undefined) return html``;
  const quantities = [...new Set(group.map(({ quantity }) => quantity))];
  const caption =
    first.kind === 'ratio'
      ? html`Ratios, on a logarithmic axis; dashed: 1, no difference.`
      : html`${capital(quantities.join(', '))}${first.unit !== '' && html`, in ${first.unit}`}.`;
  return drawForest({
    kind: first.kind,
    unit: first.unit,
    caption,
    ...(first.kind === 'ratio' && { reaches }),
    rows: group.map(forestRow),
  });
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function forestRow({
  sentence,
  published,
  measured,
  unit,
  blocks,
  outcome,
}: AssertionFacts): ForestRow {
  const { low, high } = published;
  const notes: Content = measured !== null && html`, ${plural(blocks, 'block')}`;
  return {
    title: html`${outcomeMark(outcome)} <bdi>${sentence}</bdi>`,
    words: html`published: ${published.text === '' ? 'nothing' : published.text}; measured:
    ${measuredSentence(measured, unit)}${notes}`,
    published: low === null || high === null ? null : { low, high },
    measured,
  };
}

/** Everything that the claim says, each as a number: expected, published, measured, and what follows. */
export const assertionsSection: Section<EvidenceInput> = {
  id: 'assertions',
  title: 'Assertions',
  shape: 'open',
  render: ({ evidence: { assertions } }) => assertions.length > 0 && assertionsTable(assertions),
};

function assertionsTable(assertions: readonly AssertionFacts[]): Html {
  const titles = ['What is said', 'Expected', 'Published', 'Measured', 'Outcome', 'Size'];
  return html`<p>
      Whether an assertion holds is decided by where its interval lies; whether its size is as
      published is another question, and has its own answer. Of two sides that are equal within 2 %
      no direction can be shown.
    </p>
    ${table({
      id: 'assertions-caption',
      caption: 'What the claim says, as numbers',
      hideCaption: true,
      stack: true,
      columns: titles.map((title) => ({ title, label: title })),
      groups: [{ rows: assertions.map(rowOf) }],
    })}`;
}

function rowOf(one: AssertionFacts): Row {
  const { sentence, quantity, expected, published, outcome, size, equal } = one;
  return [
    html`<bdi>${sentence}</bdi><br /><small>${quantity}</small>`,
    expected === '' ? missingMark : expected,
    published.text === '' ? missingMark : published.text,
    measuredCell(one),
    html`${outcomeMark(outcome)}${equal && html`<small>equal within 2 %</small>`}`,
    size,
  ];
}

function measuredCell({ measured, unit, blocks }: AssertionFacts): Html {
  if (measured === null) return html`<span class="missing">${missingMark} not measured</span>`;
  const { value, interval } = measuredWords(measured, unit);
  const facts = `${interval ?? 'no interval yet'}, ${plural(blocks, 'block')}`;
  const small = html`<small>${facts}${dividedRatios(measured, '; ')}</small>`;
  return html`<b>${value}</b>${small}`;
}

/** The suspected causes, each switched off: what went with them. */
export const counterfactualsSection: Section<EvidenceInput> = {
  id: 'counterfactuals',
  title: 'Counterfactuals',
  shape: 'open',
  render: ({ evidence: { counterfactuals: all } }) =>
    all.length > 0 &&
    html`<p>
        An explanation is a claim, and is tested like one: the same blocks with the suspected cause
        and without it. It explains the share of the effect that goes when it is switched off; a
        share of 0 is no cause, and 100 % the only one.
      </p>
      ${all.map(counterfactual)}`,
};

function counterfactual(facts: CounterfactualFacts): Html {
  const { id, sentence, change, verdict } = facts;
  return html`<h3><bdi>${sentence}</bdi></h3>
    <p class="soft"><bdi>${id}</bdi>${change !== '' && html`: <code>${change}</code>`}</p>
    <p><b>${verdict}</b></p>
    ${effect(facts)}${share(facts)}`;
}

function effect({ quantity, unit, withCause, withoutCause }: CounterfactualFacts): Html | false {
  if (withCause === null && withoutCause === null) return false;
  const row = (title: string, measured: typeof withCause) => ({
    title,
    words: measuredSentence(measured, unit),
    published: null,
    measured,
  });
  return drawForest({
    kind: unit === '×' ? 'ratio' : 'level',
    unit,
    caption: html`The effect: ${quantity}${unit !== '' && unit !== '×' && html`, in ${unit}`}.`,
    rows: [row('with the suspect', withCause), row('without it', withoutCause)],
  });
}

function share({ explained }: CounterfactualFacts): Html | false {
  if (explained === null) return false;
  const measured = asPercent(explained);
  return drawForest({
    kind: 'level',
    unit: '%',
    reaches: [100],
    caption: 'Share of the effect that the suspect explains.',
    rows: [
      {
        title: 'explained',
        words: measuredSentence(measured, '%'),
        published: null,
        measured,
      },
    ],
  });
}
