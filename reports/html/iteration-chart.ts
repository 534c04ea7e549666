import type { PlotOptions } from '@observablehq/plot';
import { type Content, html, type Html, printable, raw } from './escape.ts';
import { formatQuantity, formatTick } from './number.ts';
import { compact, openPlot } from './plot.ts';
import { findEnds, logTicks } from './axes.ts';

/**
 * The iterations of one trial in order: warm-up as rings, the timed window as dots, and as crosses
 * those of its iterations that do not count.
 */

export interface IterationChart {
  readonly warmUp: readonly number[];
  readonly timed: readonly number[];
  /** Indices in `timed` of the iterations that do not count. */
  readonly disturbed: readonly number[];
  /** Position of each iteration on the x axis: those of the warm-up, then the timed ones. */
  readonly places: readonly number[];
  /** Where the timed window begins on it. */
  readonly windowFrom: number;
  /** Stretches of one speed, drawn at their levels. */
  readonly segments: readonly {
    readonly from: number;
    readonly to: number;
    readonly level: number;
  }[];
  readonly xLabel: string;
  readonly unit: string;
  readonly yLabel: string;
  readonly caption: Content;
  readonly label: string;
}

/** More marks than these would touch each other, and make the file larger. */
const mostMarks = 300;

/** Iterations to the right, durations upward on a logarithmic axis; the window on a pale stripe. */
export async function drawIterations(chart: IterationChart): Promise<Html> {
  const { Plot, document } = await openPlot();
  const { windowFrom } = chart;
  const { warmUp, timed, disturbed } = pointsOf(chart);
  const all = [...warmUp, ...timed, ...disturbed];
  if (all.length === 0) return html`<p>No iteration lasted long enough to be drawn.</p>`;
  const scales = scalesOf(chart, all);
  const place = { x: 'x', y: 'middle', title: 'title' } as const;
  const range = { x: 'x', y1: 'low', y2: 'high', strokeWidth: 2, strokeOpacity: 0.5 } as const;
  const figure = Plot.plot({
    document,
    ...scales.options,
    marks: [
      Plot.rectX([{ from: windowFrom, to: scales.end }], {
        x1: 'from',
        x2: 'to',
        fill: 'currentColor',
        fillOpacity: 0.1,
      }),
      Plot.ruleX([windowFrom], { stroke: 'currentColor', strokeDasharray: '5 4' }),
      Plot.link(warmUp.filter(isPooled), { ...range, stroke: 'var(--c1)' }),
      Plot.link(timed.filter(isPooled), { ...range, stroke: 'var(--c0)' }),
      Plot.dot(warmUp, { ...place, stroke: 'var(--c1)', r: 2.5 }),
      Plot.dot(disturbed, { ...place, stroke: 'currentColor', symbol: 'times', r: 2.5 }),
      Plot.dot(timed, { ...place, fill: 'var(--c0)', r: 2.5 }),
      Plot.link(
        chart.segments.filter(({ level }) => level > 0),
        { x1: 'from', x2: 'to', y: 'level', stroke: 'currentColor', strokeWidth: 2 },
      ),
    ],
  });
  return html`<figure class="course">
    <div role="img" aria-label="${chart.label}">${raw(compact(figure.outerHTML))}</div>
    <figcaption>${chart.caption}</figcaption>
  </figure>`;
}

interface Point extends Pool {
  readonly x: number;
  readonly title: string;
}

type Points = Readonly<Record<'warmUp' | 'timed' | 'disturbed', readonly Point[]>>;

function pointsOf({ warmUp, timed, disturbed, places, unit }: IterationChart): Points {
  const one = (value: number, i: number): Iteration => ({ value, place: places[i] ?? 0 });
  const window = timed.map((value, i) => one(value, warmUp.length + i));
  const slow = new Set(disturbed);
  return {
    warmUp: drawable(warmUp.map(one), { of: 'warm-up iteration', unit }),
    timed: drawable(
      window.filter((_, i) => !slow.has(i)),
      { of: 'timed iteration', unit },
    ),
    disturbed: drawable(
      window.filter((_, i) => slow.has(i)),
      { of: 'excluded iteration', unit },
    ),
  };
}

interface Iteration {
  readonly value: number;
  readonly place: number;
}

/** A logarithmic axis cannot hold what lasted less than one step of the clock. */
function drawable(
  iterations: readonly Iteration[],
  { of, unit }: { readonly of: string; readonly unit: string },
): readonly Point[] {
  const values = iterations.map(({ value }) => value);
  return poolIterations(values, { from: 0, most: mostMarks })
    .filter(({ middle }) => middle > 0)
    .map((pool) => ({
      ...pool,
      low: pool.low > 0 ? pool.low : pool.middle,
      title: printable(describePool(pool, of, unit)),
      x: ((iterations[pool.first]?.place ?? 0) + (iterations[pool.last]?.place ?? 0)) / 2,
    }));
}

/** "timed iteration 12: 3.40 ms"; of a pool the first and the last one, and their median. */
function describePool({ first, last, middle }: Pool, of: string, unit: string): string {
  const value = formatQuantity(middle, { unit, resolution: 0 });
  return first === last
    ? `${of} ${String(first + 1)}: ${value}`
    : `${of}s ${String(first + 1)} … ${String(last + 1)}: median ${value}`;
}

function isPooled({ count }: Pool): boolean {
  return count > 1;
}

function scalesOf(
  chart: IterationChart,
  points: readonly Point[],
): { readonly options: PlotOptions; readonly end: number } {
  const levels = chart.segments.map(({ level }) => level).filter((level) => level > 0);
  const [least, most] = findEnds([...points.flatMap(({ low, high }) => [low, high]), ...levels]);
  const domain: [number, number] = [least / 1.15, most * 1.15];
  const end = Math.max(chart.places.at(-1) ?? 0, chart.windowFrom) * 1.01 || 1;
  return {
    end,
    options: {
      className: 'plot',
      width: 520,
      height: 300,
      marginLeft: 64,
      marginTop: 28,
      marginRight: 24,
      marginBottom: 42,
      x: {
        domain: [0, end],
        ticks: 6,
        tickFormat: (x: number) => formatTick(x, { unit: '', resolution: 0 }),
        label: chart.xLabel,
      },
      y: {
        type: 'log',
        domain,
        ticks: logTicks(...domain),
        tickFormat: (y: number) => printable(formatTick(y, { unit: chart.unit, resolution: 0 })),
        label: printable(chart.yLabel),
        grid: true,
      },
    },
  };
}

/** Consecutive iterations pooled, where there are more than can be shown one by one. */
export interface Pool {
  /** Numbers of the first and the last of them. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Pools consecutive values into at most `most` pools, in order; `middle` is the median of each. */
export function poolIterations(
  values: readonly number[],
  { from, most }: { readonly from: number; readonly most: number },
): readonly Pool[] {
  const size = Math.max(1, Math.ceil(values.length / most));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => {
    const own = values.slice(i * size, (i + 1) * size);
    const sorted = own.toSorted((a, b) => a - b);
    const half = (sorted.length - 1) / 2;
    const [below = 0, above = 0] = [sorted[Math.floor(half)], sorted[Math.ceil(half)]];
    return {
      first: from + i * size,
      last: from + i * size + own.length - 1,
      count: own.length,
      low: sorted[0] ?? 0,
      middle: (below + above) / 2,
      high: sorted.at(-1) ?? 0,
    };
  });
}
