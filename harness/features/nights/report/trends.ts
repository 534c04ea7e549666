import type { Trend, TrendChange, Trends } from '../../../core/results/index.ts';
import { html, type Html, printable, raw, type Content } from '../../../../reports/html/escape.ts';
import {
  formatCount,
  formatQuantity,
  formatRatioTick,
  plural,
  formatTick,
} from '../../../../reports/html/number.ts';
import type { Section } from '../../../../reports/sections/report.ts';
import { table } from '../../../../reports/html/table.ts';
import { colouredName, type Legend } from '../../../../reports/wording/legend.ts';
import type { PlotOptions } from '@observablehq/plot';
import { compact, openPlot } from '../../../../reports/html/plot.ts';
import { findEnds, linearTicks, thinned } from '../../../../reports/html/axes.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';

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
      ${breaksList(trends, legend)} ${trends.trends.length > 0 && changesTable(trends, legend)}
      ${charts}
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

/** Further ones stand in the history alone. */
const mostBreaks = 6;

/** Where a device was measured in another way since: its nights before are another series. */
function breaksList({ breaks = [], suite }: Trends, legend: Legend): Html | false {
  if (breaks.length === 0) return false;
  const more = breaks.length - mostBreaks;
  return html`<p>Measured in another way since, so that no night before is pooled with these:</p>
    <ul>
      ${breaks.slice(0, mostBreaks).map(
        ({ targetId, run, startedAt, differences, series }) =>
          html`<li>
            ${colouredName(legend(targetId))} since run ${run} (${startedAt.slice(0, 10)}):
            <bdi>${differences.join(', ')}</bdi>; ${plural(series, 'series', 'series')}
          </li>`,
      )}
    </ul>
    ${
      more > 0 &&
      html`<p>
        ${plural(more, 'more change')}:
        <code data-copy>${npxCrossfarm} nightly history --suite ${suite} --all</code>
      </p>`
    }`;
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
      { title: 'Browser' },
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

/** The medians of one series, night by night, with its levels as lines and its changes as marks. */

interface TrendChart extends Pick<Trend, 'nights' | 'levels' | 'changes' | 'unit'> {
  /** Index of the target's colour in the stylesheet. */
  readonly colour: number;
  readonly caption: Content;
  /** Text alternative of the picture. */
  readonly label: string;
}

/** More dates on the axis would touch each other. */
const mostTicks = 6;

/** Nights to the right, medians upward on an axis that need not begin at 0: it is the steps that count. */
async function drawTrend(chart: TrendChart): Promise<Html> {
  const { Plot, document } = await openPlot();
  const { nights, levels, changes, colour } = chart;
  const stroke = `var(--c${String(colour)})`;
  const dots = nights.map(({ median, startedAt, run }, night) => ({
    night,
    median,
    title: printable(
      `${startedAt.slice(0, 10)}, run ${String(run)}: ${formatQuantity(median, { unit: chart.unit, resolution: 0 })}`,
    ),
  }));
  const lines = levels.map(({ from, to, median }) => ({ x1: from - 0.5, x2: to + 0.5, median }));
  const marks = changes.map(({ run }) => nights.findIndex((night) => night.run === run) - 0.5);
  const figure = Plot.plot({
    document,
    ...scalesOf(chart),
    marks: [
      Plot.ruleX(marks, { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.dot(dots, {
        x: 'night',
        y: 'median',
        fill: stroke,
        fillOpacity: 0.6,
        r: 2.5,
        title: 'title',
      }),
      Plot.link(lines, { x1: 'x1', x2: 'x2', y1: 'median', y2: 'median', stroke, strokeWidth: 2 }),
    ],
  });
  return html`<figure class="course">
    <div role="img" aria-label="${chart.label}">${raw(compact(figure.outerHTML))}</div>
    <figcaption>${chart.caption}</figcaption>
  </figure>`;
}

function scalesOf({ nights, unit }: TrendChart): PlotOptions {
  const [least, most] = findEnds(nights.map(({ median }) => median));
  // A constant series needs an axis, too.
  const room = Math.max((most - least) * 0.08, most * 0.01);
  const domain: [number, number] = [least - room, most + room];
  const all = nights.map((_, night) => night);
  return {
    className: 'plot',
    width: 520,
    height: 220,
    marginLeft: 66,
    marginTop: 20,
    marginBottom: 36,
    x: {
      domain: [-0.5, nights.length - 0.5],
      ticks: thinned(all, mostTicks),
      tickFormat: (night: number) => printable(nights[night]?.startedAt.slice(5, 10) ?? ''),
      label: 'night →',
    },
    y: {
      domain,
      ticks: linearTicks(...domain),
      tickFormat: (value: number) => printable(formatTick(value, { unit, resolution: 0 })),
      label: null,
      grid: true,
    },
  };
}
