import type { Trend, TrendChange, Trends } from '../../harness/results/index.ts';
import { html, type Html } from '../html/escape.ts';
import { formatCount, formatQuantity, formatRatioTick, plural } from '../html/number.ts';
import type { Section } from './report.ts';
import { table } from '../html/table.ts';
import { drawTrend } from '../html/trend-chart.ts';
import { colouredName, type Legend } from '../wording/legend.ts';

/** Further series stand in the table alone. */
const mostCharts = 12;

/**
 * Series whose level changed over the nights of this run's suite. While there are too few of them a
 * night's report says so, and any other says nothing.
 */
export const trendsSection: Section = {
  id: 'trends',
  title: 'Trends',
  after: 'steady',
  shape: ({ findings: { trends } }) => (trends !== undefined && areFew(trends) ? 'open' : 'folded'),
  render: async ({ findings: { trends, night }, legend }) => {
    if (trends === undefined) return false;
    if (areFew(trends)) return night !== undefined && tooFew(trends);
    const drawn = trends.trends.slice(0, mostCharts);
    const charts = await Promise.all(drawn.map((trend, i) => chartOf(trend, legend, i)));
    return html`<p>
        ${summaryOf(trends)} A change is settled when six nights lie on either side of it. A younger
        one is a suspect, and no verdict: nights are measured one after the other, so only a
        comparison side by side can tell a change of the browser from one of the machine.
      </p>
      ${trends.trends.length > 0 && changesTable(trends, legend)} ${charts}
      ${trends.trends.length > mostCharts && html`<p>The first ${mostCharts} of ${plural(trends.trends.length, 'series', 'series')} are drawn.</p>`}`;
  },
};

function areFew({ nights, needed }: Trends): boolean {
  return nights < needed;
}

function tooFew({ suite, nights, needed }: Trends): Html {
  const there = nights === 1 ? html`there is one of` : html`there are ${formatCount(nights)} of`;
  return html`<p>Trends need ${formatCount(needed)} nights; ${there} <bdi>${suite}</bdi>.</p>`;
}

function summaryOf({ suite, nights, series, trends }: Trends): Html {
  const looked = html`${plural(series, 'series', 'series')} of <bdi>${suite}</bdi> over
    ${plural(nights, 'night')}:`;
  if (trends.length === 0) return html`${looked} no level changed.`;
  const changes = trends.flatMap((trend) => trend.changes);
  const suspects = changes.filter(({ state }) => state === 'suspect').length;
  return html`${looked} ${plural(changes.length - suspects, 'settled change')} and
  ${plural(suspects, 'suspect')}.`;
}

function changesTable({ trends }: Trends, legend: Legend): Html {
  const rows = trends.flatMap(({ targetId, caseName, metric, changes }) =>
    changes.map((change) => [
      html`<bdi>${caseName}</bdi>, ${metric}`,
      colouredName(legend(targetId)),
      ratioText(change),
      sinceText(change),
      html`<bdi>${change.cause}</bdi>`,
      change.state,
    ]),
  );
  return table({
    id: 'trends-table',
    caption: 'Changes of level over the nights',
    stack: true,
    columns: [
      { title: 'Series' },
      { title: 'Target' },
      { title: 'After / before', kind: 'number' },
      { title: 'Since' },
      { title: 'What changed with it' },
      { title: 'State' },
    ],
    groups: [{ rows }],
  });
}

async function chartOf(trend: Trend, legend: Legend, place: number): Promise<Html> {
  const { caseName, metric, targetId, changes } = trend;
  const target = legend(targetId);
  const told = changes.map(
    (change) => `${ratioText(change)} since ${sinceText(change)} (${change.cause})`,
  );
  const chart = await drawTrend({
    ...trend,
    colour: target.colour,
    caption: html`${colouredName(target)}, <bdi>${caseName}</bdi>, ${metric}: each dot is the median
      of a night, a line the median of the nights between two changes.`,
    label: `${metric} of ${caseName} on ${target.label} over ${plural(trend.nights.length, 'night')}: ${told.join(', ')}`,
  });
  return html`${chart}${nightByNight(trend, target.label, place)}`;
}

/** The chart in numbers, for readers who cannot see it. */
function nightByNight(trend: Trend, target: string, place: number): Html {
  const { caseName, metric, unit, nights, changes } = trend;
  const states = new Map(changes.map(({ run, state }) => [run, state]));
  return html`<details>
    <summary>Night by night, in numbers</summary>
    ${table({
      id: `trend-${String(place + 1)}`,
      caption: html`Median of each night: ${metric} of <bdi>${caseName}</bdi>,
        <bdi>${target}</bdi>`,
      hideCaption: true,
      columns: [
        { title: 'Night' },
        { title: 'Median', kind: 'number' },
        { title: 'A change begins' },
      ],
      groups: [
        {
          rows: nights.map(({ run, startedAt, median }) => [
            `${startedAt.slice(0, 10)}, run ${String(run)}`,
            formatQuantity(median, { unit, resolution: 0 }),
            states.get(run) ?? '',
          ]),
        },
      ],
    })}
  </details>`;
}

function ratioText({ ratio }: TrendChange): string {
  return formatRatioTick(Number(ratio.toPrecision(3)));
}

function sinceText({ startedAt, run }: TrendChange): string {
  return `${startedAt.slice(0, 10)}, run ${String(run)}`;
}
