/** The medians of one series, night by night, with its levels as lines and its changes as marks. */
import type { PlotOptions } from '@observablehq/plot';
import type { Trend } from '../../harness/results/nights.ts';
import { html, printable, raw, type Content, type Html } from './escape.ts';
import { formatTick } from './number.ts';
import { compact, openPlot } from './plot.ts';
import { findEnds, linearTicks, thinned } from './ticks.ts';

export interface TrendChart extends Pick<Trend, 'nights' | 'levels' | 'changes' | 'unit'> {
  /** Index of the target's colour in the stylesheet. */
  readonly colour: number;
  readonly caption: Content;
  /** Text alternative of the picture. */
  readonly label: string;
}

/** More dates on the axis would touch each other. */
const mostTicks = 6;

/** Nights to the right, medians upward on an axis that need not begin at 0: it is the steps that count. */
export async function drawTrend(chart: TrendChart): Promise<Html> {
  const { Plot, document } = await openPlot();
  const { nights, levels, changes, colour } = chart;
  const stroke = `var(--c${String(colour)})`;
  const dots = nights.map(({ median }, night) => ({ night, median }));
  const lines = levels.map(({ from, to, median }) => ({ x1: from - 0.5, x2: to + 0.5, median }));
  const marks = changes.map(({ run }) => nights.findIndex((night) => night.run === run) - 0.5);
  const figure = Plot.plot({
    document,
    ...scalesOf(chart),
    marks: [
      Plot.ruleX(marks, { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.dot(dots, { x: 'night', y: 'median', fill: stroke, fillOpacity: 0.6, r: 2.5 }),
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
