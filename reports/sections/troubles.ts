import type { Findings, Trouble } from '../../harness/core/results/index.ts';
import { html, shortened, type Html } from '../html/escape.ts';
import type { Section } from './report.ts';
import { formatCount } from '../html/number.ts';
import { table, type Column, type Row } from '../html/table.ts';
import { targetName, type Legend } from '../wording/legend.ts';

const words: Readonly<Record<Trouble['kind'], string>> = {
  failed: 'failed',
  'timed-out': 'timed out',
  skipped: 'skipped',
};

/** A page can write a novel into an error; a longer one is cut, and whole in the data. */
const longestMessage = 600;

/** Every trial without a result, with what was seen and what to do about it; and those that do not count. */
export const troublesSection: Section = {
  id: 'troubles',
  title: 'Failures',
  heading: 'Failures and skips',
  render: ({ findings: { troubles, quarantined }, legend }) => {
    const body =
      troubles.length === 0
        ? html`<p>None: no trial failed, timed out or was skipped.</p>`
        : table({
            id: 'troubles-caption',
            caption: 'Trials without a result; equal ones are counted together',
            stack: true,
            columns: labelled([
              { title: 'Browser' },
              { title: 'Case' },
              { title: 'Outcome' },
              { title: 'Trials', kind: 'number' },
              { title: 'What was seen', kind: 'wide' },
              { title: 'What to do', kind: 'wide' },
            ]),
            groups: [{ rows: troubles.map((trouble) => rowOf(trouble, legend)) }],
          });
    return html` ${body} ${quarantined.length > 0 && quarantinePart(quarantined, legend)} `;
  },
};

function quarantinePart(all: Findings['quarantined'], legend: Legend): Html {
  return html`<h3>Excluded trials</h3>
    <p>
      They completed while the machine was outside its limits. They are kept in the database, drawn
      hollow, in the data, and left out of every median and verdict; where no trial of a case
      counts, they stand in for it and are marked.
    </p>
    ${table({
      id: 'quarantined-caption',
      caption: 'Excluded trials, case by case',
      hideCaption: true,
      stack: true,
      columns: labelled([
        { title: 'Browser' },
        { title: 'Case' },
        { title: 'Trials', kind: 'number' },
        { title: 'What was seen during the first', kind: 'wide' },
      ]),
      groups: [
        {
          rows: all.map(({ targetId, caseName, trials, why }) => [
            targetName(legend(targetId)),
            html`<bdi>${caseName}</bdi>`,
            formatCount(trials),
            shortened(why, longestMessage),
          ]),
        },
      ],
    })}`;
}

function labelled(columns: readonly (Column & { readonly title: string })[]): readonly Column[] {
  return columns.map((column) => ({ ...column, label: column.title }));
}

function rowOf(trouble: Trouble, legend: Legend): Row {
  const { kind, targetId, caseName, trials, code, message, remedy } = trouble;
  return [
    targetName(legend(targetId)),
    html`<bdi>${caseName}</bdi>`,
    html`<span class="tag${kind !== 'skipped' && ' bad'}">${words[kind]}</span>`,
    formatCount(trials),
    html`${shortened(message, longestMessage)}${code !== '' && html` <small>${code}</small>`}`,
    shortened(remedy, longestMessage),
  ];
}
