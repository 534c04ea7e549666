import type {
  ClaimFacts,
  RebuiltCell,
  RebuiltFailure,
  RebuiltGroup,
  RebuiltTable,
} from '../../../core/results/index.ts';
import type { Section } from '../../../../reports/sections/report.ts';
import { html, type Content, type Html } from '../../../../reports/html/escape.ts';
import { missingMark, plural } from '../../../../reports/html/number.ts';
import { table, type Row, type RowGroup } from '../../../../reports/html/table.ts';
import {
  measuredSentence,
  measuredWords,
  verdictMark,
} from '../../../../reports/wording/evidence.ts';
import { colouredName, type Legend } from '../../../../reports/wording/legend.ts';

/** Published tables, with a measured row below each of theirs. */
export const rebuiltSection: Section = {
  id: 'rebuilt',
  title: 'Published tables',
  heading: 'Published tables, made anew',
  shape: 'open',
  after: 'steady',
  render: ({ findings: { rebuilt = [], claims = [] }, legend }) =>
    rebuilt.length > 0 &&
    html`<p>
        Each group begins with what its source printed; below it stands what this run measured, with
        its interval and the number of trials. Another machine is another machine: compare shapes,
        and see the claims for what follows.
      </p>
      ${rebuilt.map((one) => oneTable(one, legend))} ${claims.length > 0 && claimsPart(claims)}`,
};

/** Three trials of every case make a table; a verdict is made by `farm claims reproduce`, in blocks. */
function claimsPart(claims: readonly ClaimFacts[]): Html {
  const titles = ['Claim', 'Verdict', 'Published', 'Measured', 'Ask it again'];
  return html`<h3>What is claimed of them</h3>
    <p>
      Verdicts do not rest on the tables above, but on the newest answer of this farm to each claim:
      blocks until direction and size were settled.
    </p>
    ${table({
      id: 'rebuilt-claims',
      caption: 'The claims of these studies, and the verdicts of this farm',
      hideCaption: true,
      stack: true,
      columns: titles.map((title) => ({ title, label: title })),
      groups: [{ rows: claims.map(claimRow) }],
    })}`;
}

function claimRow({ id, sentence, published, verdict, ...answer }: ClaimFacts): Row {
  const { measured, headline, run, command } = answer;
  return [
    html`<b>${id}</b> <bdi>${sentence}</bdi>`,
    html`${verdictMark(verdict)}<br /><small>${headline}</small>`,
    published,
    measured === null
      ? html`<span class="missing">${missingMark} not measured</span>`
      : html`${measuredSentence(measured, measured.unit)}${run !== null && html` <small>run ${run}</small>`}`,
    html`<span><code data-copy>${command}</code></span>`,
  ];
}

function oneTable({ section, title, source, columns, groups, note }: RebuiltTable, legend: Legend) {
  return html`${table({
      id: `rebuilt-${section.toLowerCase()}`,
      caption: html`${section}. ${title}`,
      columns: [
        { title: 'Who' },
        ...columns.map((column) => ({ title: column, kind: 'number' as const })),
      ],
      groups: groups.map((group) => groupOf(group, legend)),
    })}
    <p><small>Source: ${source}. ${note}</small></p> `;
}

function groupOf({ label, unit, published, rows }: RebuiltGroup, legend: Legend): RowGroup {
  const said: Row = ['published', ...published.map((text) => text ?? missingMark)];
  return {
    title: unit === '' ? label : html`${label} <small>(${unit})</small>`,
    rows: [
      ...(published.some((text) => text !== null) ? [said] : []),
      ...rows.map(({ targetId, cells }): Row => [
        colouredName(legend(targetId)),
        ...cells.map((cell) => cellOf(cell, unit)),
      ]),
    ],
  };
}

function cellOf(cell: RebuiltCell | RebuiltFailure | null, unit: string): Content {
  if (cell === null) return html`<span class="missing">${missingMark}</span>`;
  if ('failed' in cell) {
    return html`<span class="missing">${cell.failed}</span
      ><small>${plural(cell.trials, 'trial')}</small>`;
  }
  const { value, interval } = measuredWords(cell, unit);
  const bounds = interval === null ? '' : `${interval}, `;
  return html`<b>${value}</b><small>${bounds}${plural(cell.trials, 'trial')}</small>`;
}
