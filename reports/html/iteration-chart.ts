/** The iterations of one trial in order: warm-up pale, the timed window strong. */
import type { PlotOptions } from '@observablehq/plot';
import { html, printable, raw, type Content, type Html } from './escape.ts';
import { formatTick } from './number.ts';
import { compact, openPlot } from './plot.ts';
import { poolIterations, type Pool } from './pooling.ts';
import { endsOf, logTicks } from './ticks.ts';

export interface IterationChart {
  readonly warmUp: readonly number[];
  readonly timed: readonly number[];
  /** The last so many of the warm-up are those that its rule looked at. */
  readonly judged: number;
  readonly unit: string;
  readonly yLabel: string;
  readonly caption: Content;
  readonly label: string;
}

/** More marks than these would touch each other, and weigh more than they tell. */
const mostMarks = 300;

/** Iterations to the right, durations upward on a logarithmic axis; the judged ones on a pale stripe. */
export async function drawIterations(chart: IterationChart): Promise<Html> {
  const { Plot, document } = await openPlot();
  const split = chart.warmUp.length;
  const warmUp = drawable(poolIterations(chart.warmUp, { from: 1, most: mostMarks }));
  const timed = drawable(poolIterations(chart.timed, { from: split + 1, most: mostMarks }));
  const both = [...warmUp, ...timed];
  if (both.length === 0) return html`<p>No iteration lasted long enough to be drawn.</p>`;
  const stripe = [{ from: split - chart.judged + 0.5, to: split + 0.5 }];
  const place = { x: 'x', y: 'middle' } as const;
  const range = { x: 'x', y1: 'low', y2: 'high', strokeWidth: 2, strokeOpacity: 0.5 } as const;
  const figure = Plot.plot({
    document,
    ...scalesOf(chart, both),
    marks: [
      Plot.rectX(chart.judged > 0 ? stripe : [], {
        x1: 'from',
        x2: 'to',
        fill: 'currentColor',
        fillOpacity: 0.1,
      }),
      Plot.ruleX([split + 0.5], { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.link(warmUp.filter(isPooled), { ...range, stroke: 'var(--c1)' }),
      Plot.link(timed.filter(isPooled), { ...range, stroke: 'var(--c0)' }),
      Plot.dot(warmUp, { ...place, stroke: 'var(--c1)', r: 2.5 }),
      Plot.dot(timed, { ...place, fill: 'var(--c0)', r: 2.5 }),
    ],
  });
  return html`<figure class="course">
    <div role="img" aria-label="${chart.label}">${raw(compact(figure.outerHTML))}</div>
    <figcaption>${chart.caption}</figcaption>
  </figure>`;
}

/** A logarithmic axis cannot hold what lasted less than one step of the clock. */
function drawable(pools: readonly Pool[]): readonly (Pool & { readonly x: number })[] {
  return pools
    .filter(({ middle }) => middle > 0)
    .map((pool) => ({
      ...pool,
      low: pool.low > 0 ? pool.low : pool.middle,
      x: (pool.first + pool.last) / 2,
    }));
}

function isPooled({ count }: Pool): boolean {
  return count > 1;
}

function scalesOf(chart: IterationChart, pools: readonly Pool[]): PlotOptions {
  const [least, most] = endsOf(pools.flatMap(({ low, high }) => [low, high]));
  const domain: [number, number] = [least / 1.15, most * 1.15];
  const all = chart.warmUp.length + chart.timed.length;
  return {
    className: 'plot',
    width: 520,
    height: 300,
    marginLeft: 64,
    marginTop: 28,
    marginBottom: 42,
    x: { domain: [0.5, all + 0.5], ticks: 8, label: 'iteration →' },
    y: {
      type: 'log',
      domain,
      ticks: logTicks(...domain),
      tickFormat: (y: number) => printable(formatTick(y, { unit: chart.unit, resolution: 0 })),
      label: printable(chart.yLabel),
      grid: true,
    },
  };
}
