import { linkCase } from '../../../reports/client/case-address.js';
import { html, type Html } from '../../../reports/html/escape.ts';
import { formatQuantity, plural } from '../../../reports/html/number.ts';
import { table } from '../../../reports/html/table.ts';
import { changeCard } from '../nights/report/change-cards.ts';
import type { SeriesResponse, WholeChanges } from '../../core/server/api/changes-response.ts';

const mostCards = 6;

/** The newest changes over the nights, each as the card of the reports, with its runs in numbers; null where nothing was searched. */
export function changedCards({ suite, nights, notSearched, series }: WholeChanges): Html | null {
  if (notSearched !== null || nights < 2) return null;
  const changed = series
    .flatMap((one) => one.changes.slice(-1).map((change) => ({ one, change })))
    .sort((a, b) => b.change.startedAt.localeCompare(a.change.startedAt));
  const said =
    changed.length === 0
      ? 'no level changed'
      : `${plural(changed.length, 'series', 'series')} changed`;
  return html`<p class="soft">${plural(nights, 'run')} of <bdi>${suite}</bdi>: ${said}.</p>
    <div class="cards">
      ${changed.slice(0, mostCards).map(({ one, change }, i) =>
        changeCard({
          of: html`<a href="${linkCase(one.caseName)}"><bdi>${one.caseName}</bdi></a
            >, <bdi>${one.targetId}</bdi>`,
          change,
          metric: one.metricTitle.toLowerCase(),
          unit: one.unit,
          nights: one.course,
          levels: [change.before, change.after],
          since: html`<a href="/runs/${change.run}">${dayAndTime(change.startedAt)}</a>${
              change.state === 'suspect' && ' (a suspect: younger than six runs)'
            }`,
          details: runsOf(one, i),
        }),
      )}
    </div>`;
}

function runsOf({ course, unit, metricTitle }: SeriesResponse, place: number): Html {
  return html`<details>
    <summary>Its runs as a table</summary>
    ${table({
      id: `changed-${String(place + 1)}`,
      caption: `Medians of ${metricTitle} run by run`,
      hideCaption: true,
      columns: [{ title: 'Run' }, { title: 'Median', kind: 'number' }],
      groups: [
        {
          rows: course.map(({ run, startedAt, median }) => [
            html`<a href="/runs/${run}">${dayAndTime(startedAt)}</a>`,
            formatQuantity(median, { unit, resolution: 0 }),
          ]),
        },
      ],
    })}
  </details>`;
}

function dayAndTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}
