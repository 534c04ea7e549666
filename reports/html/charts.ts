/** Curves on a logarithmic axis, and on a linear one: growth over a parameter, or how far a record is from the truth. */
import type { PlotOptions } from '@observablehq/plot';
import { html, printable, type Content, type Html } from './escape.ts';
import { formatRatioTick, formatTick } from './number.ts';
import { compact, openPlot, seriesColours } from './plot.ts';
import { apart, findEnds, linearTicks, logTicks, ratioTicks, thinned } from './ticks.ts';
import { inBothAxes, type AxisKind } from './two-axes.ts';

export interface Curve {
  readonly label: string;
  /** Index of the colour in the stylesheet, and of the symbol. */
  readonly colour: number;
}

export interface CurvePoint {
  /** Index into the curves. */
  readonly curve: number;
  readonly panel: string;
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
}

export interface CurveChart {
  readonly id: string;
  readonly title: Content;
  readonly caption: Content;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly unit: string;
  /** Unit of a logarithmic x axis; without it x is a plain number on a linear one. */
  readonly xUnit?: string;
  /** Where y would be if all were well: a dashed line. */
  readonly reference?: number;
  /** Whether each panel is drawn on a linear y axis, too, for the reader to choose. */
  readonly twin: boolean;
  readonly curves: readonly Curve[];
  readonly points: readonly CurvePoint[];
  /** Text alternative of each panel. */
  readonly describePanel: (panel: string) => string;
}

const symbols = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'wye'] as const;

/** One panel for each value that the points name, all on the same axes, with one legend above. */
export async function drawCurves(chart: CurveChart): Promise<Html> {
  const drawn = chart.points.filter((point) => Number.isFinite(point.y) && point.y > 0);
  const panels = [...new Set(drawn.map((point) => point.panel))];
  if (panels.length === 0) return html``;
  const draw = await panelPainter(chart, drawn, 'log');
  const drawLinear = chart.twin ? await panelPainter(chart, drawn, 'linear') : () => null;
  const pictures = panels.map((panel) => ({ panel, svg: draw(panel), linear: drawLinear(panel) }));
  const left = chart.points.length - drawn.length;
  return html`<figure class="growth" aria-labelledby="${chart.id}">
    <figcaption>
      <h3 id="${chart.id}">${chart.title}</h3>
      <p>
        ${chart.caption}${left > 0 && html` ${left} of ${chart.points.length} points are not positive and cannot stand on a logarithmic axis.`}
      </p>
    </figcaption>
    ${legend(
      chart.curves,
      pictures.map(({ svg }) => svg),
    )}
    <div class="panels">
      ${pictures.map(
        ({ panel, svg, linear }) =>
          html`<div class="panel">
            <p class="panel-name">${panel}</p>
            <div role="img" aria-label="${chart.describePanel(panel)}">
              ${inBothAxes(svg, linear)}
            </div>
          </div> `,
      )}
    </div>
  </figure> `;
}

/** A chart of one panel for a picture that is a file of its own, and the mark of each curve in it. */
export async function drawPanel(chart: CurveChart): Promise<DrawnPanel> {
  const drawn = chart.points.filter((point) => Number.isFinite(point.y) && point.y > 0);
  const svg = (await panelPainter(chart, drawn, 'log'))(drawn[0]?.panel ?? '');
  return { svg, ...panelSize, marks: chart.curves.map(({ colour }) => markIn([svg], colour)) };
}

interface DrawnPanel {
  readonly svg: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly marks: readonly string[];
}

const panelSize = { width: 340, height: 290 };

function legend(curves: readonly Curve[], pictures: readonly string[]): Html {
  return html`<ul class="legend">
    ${curves.map(
      ({ label, colour }) => html`<li>${swatch(colour, pictures)}<bdi>${label}</bdi></li>`,
    )}
  </ul>`;
}

function swatch(colour: number, pictures: readonly string[]): Html {
  return html`<svg class="swatch c${colour}" viewBox="-7 -7 14 14" aria-hidden="true">
    <path fill="currentColor" d="${markIn(pictures, colour)}" />
  </svg>`;
}

/** The very mark that the chart uses, so that the legend cannot disagree with it: the outline around 0, 0. */
function markIn(pictures: readonly string[], colour: number): string {
  const mark = new RegExp(`<path [^>]*fill="var\\(--c${String(colour)}\\)"[^>]*>`);
  const found = pictures.map((svg) => mark.exec(svg)?.[0]).find((path) => path !== undefined);
  return / d="([^"]*)"/.exec(found ?? '')?.[1] ?? 'M-4-4h8v8h-8z';
}

type Painter = (panel: string) => string;

/** Loads the libraries and fixes what panels share: the y axis, mostly the x axis, the colour of each curve. */
async function panelPainter(
  chart: CurveChart,
  points: readonly CurvePoint[],
  axis: AxisKind,
): Promise<Painter> {
  const { Plot, document } = await openPlot();
  const ofPanel = axesOf(points, chart, axis);
  return (panel) => {
    const axes = ofPanel(panel);
    const scales = scalesOf(chart, axes, axis);
    const own = points
      .filter((point) => point.panel === panel)
      .toSorted((a, b) => a.x - b.x)
      .map((point) => ({
        ...point,
        low: Math.max(point.low, axes.yDomain[0]),
        colour: String(chart.curves[point.curve]?.colour ?? 0),
      }));
    // A curve of many points keeps some symbols, so that it can be distinguished without colour.
    const every = Math.ceil(own.length / mostDots);
    const marked = own.filter((point) => axes.xs.indexOf(point.x) % every === 0);
    const place = { x: 'x', y: 'y', z: 'curve' };
    const band = { x: 'x', y1: 'low', y2: 'high', z: 'curve' };
    const figure = Plot.plot({
      document,
      ...scales,
      marks: [
        Plot.ruleY(chart.reference === undefined ? [] : [chart.reference], {
          stroke: 'currentColor',
          strokeDasharray: '5 4',
        }),
        every > 1
          ? Plot.areaY(own, { ...band, fill: 'colour', fillOpacity: 0.25 })
          : Plot.link(own, { ...band, stroke: 'colour', ...interval }),
        Plot.lineY(own, { ...place, stroke: 'colour', strokeWidth: 1.75 }),
        Plot.dot(marked, { ...place, fill: 'colour', symbol: 'colour', r: 3.5 }),
      ],
    });
    return compact(figure.outerHTML);
  };
}

/** Everything of a panel but its marks. */
function scalesOf(chart: CurveChart, axes: Axes, axis: AxisKind): PlotOptions {
  const measure = { unit: chart.unit, resolution: 0 };
  return {
    className: 'plot',
    ...panelSize,
    marginLeft: 58,
    marginTop: 28,
    marginBottom: 42,
    x: {
      type: chart.xUnit === undefined ? 'linear' : 'log',
      domain: axes.xDomain,
      ticks: axes.xTicks,
      tickFormat: (x: number) => tickOf(x, chart.xUnit),
      label: printable(chart.xLabel),
    },
    y: {
      type: axis,
      domain: axes.yDomain,
      ticks: axes.yTicks,
      tickFormat: (y: number) =>
        chart.reference === undefined ? printable(formatTick(y, measure)) : formatRatioTick(y),
      label: printable(chart.yLabel),
      grid: true,
    },
    color: seriesColours,
    symbol: {
      domain: seriesColours.domain,
      range: seriesColours.domain.map((_, i) => symbols[i % symbols.length] ?? 'circle'),
    },
  };
}

function tickOf(x: number, unit: string | undefined): string {
  return unit === undefined ? String(x) : printable(formatTick(x, { unit, resolution: 0 }));
}

const interval = { strokeWidth: 4, strokeOpacity: 0.35, strokeLinecap: 'butt' };

/** More dots in one panel than these would hide the curves, and weigh more than the rest of the figure. */
const mostDots = 160;

interface Axes {
  /** Every x that occurs, in order. */
  readonly xs: readonly number[];
  readonly xDomain: [number, number];
  readonly xTicks: number[];
  readonly yDomain: [number, number];
  readonly yTicks: number[];
}

/** A panel that would fill less of a shared x axis has its own: its points would lie on each other. */
const leastFilled = 0.25;

/**
 * The axes of each panel. All share the y axis, and the x axis too unless one of them would be a
 * stack of points on it, as 4 … 9 is beside 22 … 1476.
 */
function axesOf(
  points: readonly CurvePoint[],
  chart: CurveChart,
  axis: AxisKind,
): (panel: string) => Axes {
  const { reference } = chart;
  const ys = [
    ...points.flatMap(({ y, low, high }) => [y, low, high]),
    ...(reference === undefined ? [] : [reference]),
  ].filter((value) => value > 0 && Number.isFinite(value));
  const y = yAxis(findEnds(ys), reference !== undefined, axis);
  const xsOf = (some: readonly CurvePoint[]): readonly number[] =>
    [...new Set(some.map((point) => point.x))].toSorted((one, other) => one - other);
  const all = xsOf(points);
  const byPanel = new Map(
    [...new Set(points.map(({ panel }) => panel))].map((panel) => [
      panel,
      xsOf(points.filter((point) => point.panel === panel)),
    ]),
  );
  const isShared = [...byPanel.values()].every(
    (own) => own.length < 2 || spanOf(own, chart) >= leastFilled * spanOf(all, chart),
  );
  return (panel) => ({ ...y, ...xAxis(isShared ? all : (byPanel.get(panel) ?? all), chart) });
}

/** How wide they are drawn: a chart with a unit of x has a logarithmic axis. */
function spanOf(xs: readonly number[], { xUnit }: CurveChart): number {
  const [least, most] = findEnds(xs);
  return xUnit === undefined ? most - least : Math.log(most / least);
}

function xAxis(
  xs: readonly number[],
  { xUnit }: CurveChart,
): Pick<Axes, 'xs' | 'xDomain' | 'xTicks'> {
  const [least, most] = findEnds(xs);
  const padding = most === least ? 1 : (most - least) * 0.04;
  return {
    xs,
    xDomain: xUnit === undefined ? [least - padding, most + padding] : [least / 1.6, most * 1.6],
    xTicks: xUnit === undefined ? apart(thinned(xs, 8)) : thinned(xs, 8),
  };
}

/** Linear, a quantity begins at 0; a ratio does not: what differs little would be lost. */
function yAxis(
  [least, most]: [number, number],
  isRatio: boolean,
  axis: AxisKind,
): Pick<Axes, 'yDomain' | 'yTicks'> {
  const room = isRatio ? Math.max(1.02, (most / least) ** 0.1) : 1.25;
  const isLinear = axis === 'linear';
  const yDomain: [number, number] = isLinear
    ? [isRatio ? least / room : 0, most * (isRatio ? room : 1.05)]
    : [least / room, most * room];
  const ticks = isLinear ? linearTicks : isRatio ? ratioTicks : logTicks;
  return { yDomain, yTicks: ticks(...yDomain) };
}
