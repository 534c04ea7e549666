/** How the interval of one ratio closed, block by block, with every block's own ratio as a dot. */
import type { PlotOptions } from '@observablehq/plot';
import { html, type Content, type Html } from './escape.ts';
import { formatRatioTick } from './number.ts';
import { compact, openPlot } from './plot.ts';
import { findEnds, linearTicks, ratioTicks, thinned } from './ticks.ts';
import { inBothAxes, type AxisKind } from './two-axes.ts';

export interface RunningChart {
  /** a / b of each block, in order. */
  readonly ratios: readonly number[];
  readonly looks: readonly {
    readonly blocks: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly margin: number;
  readonly caption: Content;
  /** Text alternative of the picture. */
  readonly label: string;
}

/** More ticks on the axis of blocks would touch each other. */
const mostTicks = 10;

/** Blocks to the right, ratios upward; the margin as a pale stripe around 1. */
export async function drawRunningInterval(chart: RunningChart): Promise<Html> {
  const pictures = inBothAxes(await draw(chart, 'log'), await draw(chart, 'linear'));
  return html`<figure class="course">
    <div role="img" aria-label="${chart.label}">${pictures}</div>
    <figcaption>${chart.caption}</figcaption>
  </figure>`;
}

async function draw(chart: RunningChart, axis: AxisKind): Promise<string> {
  const { Plot, document } = await openPlot();
  const { ratios, looks, margin } = chart;
  const dots = ratios.map((ratio, i) => ({ block: i + 1, ratio }));
  const [from, to] = [0.5, dots.length + 0.5];
  const stripe = { x1: from, x2: to, y1: 1 / (1 + margin), y2: 1 + margin };
  const bound = { x: 'blocks', stroke: 'var(--c0)', strokeWidth: 1.75 } as const;
  const figure = Plot.plot({
    document,
    ...scalesOf(chart, [from, to], axis),
    marks: [
      Plot.rect([stripe], {
        x1: 'x1',
        x2: 'x2',
        y1: 'y1',
        y2: 'y2',
        fill: 'currentColor',
        fillOpacity: 0.1,
      }),
      Plot.ruleY([1], { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.areaY(looks, {
        x: 'blocks',
        y1: 'low',
        y2: 'high',
        fill: 'var(--c0)',
        fillOpacity: 0.2,
      }),
      Plot.lineY(looks, { ...bound, y: 'low' }),
      Plot.lineY(looks, { ...bound, y: 'high' }),
      Plot.dot(dots, { x: 'block', y: 'ratio', fill: 'var(--c1)', r: 3 }),
    ],
  });
  return compact(figure.outerHTML);
}

function scalesOf(
  { ratios, looks, margin }: RunningChart,
  span: [number, number],
  axis: AxisKind,
): PlotOptions {
  const [least, most] = findEnds([
    ...ratios,
    ...looks.flatMap(({ low, high }) => [low, high]),
    1 / (1 + margin),
    1 + margin,
  ]);
  const room = Math.max(1.01, (most / least) ** 0.08);
  const domain: [number, number] = [least / room, most * room];
  const blocks = ratios.map((_, i) => i + 1);
  return {
    className: 'plot',
    width: 520,
    height: 300,
    marginLeft: 58,
    marginTop: 28,
    marginBottom: 42,
    x: { domain: span, ticks: thinned(blocks, mostTicks), tickFormat: String, label: 'block →' },
    y: {
      type: axis,
      domain,
      ticks: (axis === 'log' ? ratioTicks : linearTicks)(...domain),
      tickFormat: formatRatioTick,
      label: '↑ a / b',
      grid: true,
    },
  };
}
