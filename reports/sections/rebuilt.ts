import type { Findings, RebuiltCell, RebuiltGroup, RebuiltTable } from '../findings.ts';
import { html, type Content, type Html } from '../html/escape.ts';
import { missingMark, plural } from '../html/number.ts';
import { table, type Row, type RowGroup } from '../html/table.ts';
import { measuredWords } from './evidence-words.ts';
import { colouredName, type Legend } from './legend.ts';

/** The tables that others published, with a row of ours below each of theirs. */
export function rebuiltSection({ rebuilt = [] }: Findings, legend: Legend): Html | false {
  if (rebuilt.length === 0) return false;
  return html`<section aria-labelledby="rebuilt">
    <h2 id="rebuilt">Published tables, made anew</h2>
    <p>
      Each group begins with what its source printed; below it stands what this run measured, with
      its interval and the number of trials. Another machine is another machine: compare shapes, and
      see the claims for what follows.
    </p>
    ${rebuilt.map((one) => oneTable(one, legend))}
  </section> `;
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

function cellOf(cell: RebuiltCell | null, unit: string): Content {
  if (cell === null) return html`<span class="missing">${missingMark}</span>`;
  const { value, interval } = measuredWords(cell, unit);
  const bounds = interval === null ? '' : `${interval}, `;
  return html`<b>${value}</b><small>${bounds}${plural(cell.trials, 'trial')}</small>`;
}
