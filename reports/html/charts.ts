/** Curves on a logarithmic axis, and on a linear one: growth over a parameter, or how far a record is from the truth. */
import type { PlotOptions } from '@observablehq/plot';
import { html, printable, type Content, type Html } from './escape.ts';
import { formatRatioTick, formatTick } from './number.ts';
import { compact, curveColours, openPlot, seriesColours, seriesSymbols } from './plot.ts';
import {
  apart,
  findEnds,
  linearTicks,
  logTicks,
  ratioTicks,
  thinned,
  inBothAxes,
  type AxisKind,
} from './axes.ts';

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
  /** Of its interval; null without an interval. */
  readonly low: number | null;
  readonly high: number | null;
  /** Text of its tooltip. */
  readonly title?: string;
  /** Address that its mark leads to. */
  readonly href?: string | undefined;
}

/** A place on the x axis that is marked for one curve. */
export interface CurveRule {
  readonly x: number;
  /** Index of the colour in the stylesheet. */
  readonly colour: number;
  readonly title: string;
}

export interface CurveChart extends CurvePanels {
  readonly id: string;
  readonly title: Content;
  readonly caption: Content;
  /** Each panel is drawn on a linear y axis, too, for the reader to choose. */
  readonly twin: boolean;
  readonly points: readonly CurvePoint[];
  /** Text alternative of each panel, whose marks may be links. */
  readonly describePanel: (panel: string) => string;
}

/** Facts that the panels of curves share. */
export interface CurvePanels {
  readonly xLabel: string;
  readonly yLabel: string;
  readonly unit: string;
  /** Unit of a logarithmic x axis; without it x is a plain number on a linear one. */
  readonly xUnit?: string;
  /** Where y would be if all were well: a dashed line. */
  readonly reference?: number;
  readonly curves: readonly Curve[];
  /** How x is written, and how many there is room for; as a number, or with its unit, when left out. */
  readonly xTicks?: { readonly format: (x: number) => string; readonly most: number };
  readonly rules?: readonly CurveRule[];
  /** Pixels of each panel; the usual ones when left out. */
  readonly size?: { readonly width: number; readonly height: number };
}

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
    ${await legend(chart.curves)}
    <div class="panels">
      ${pictures.map(
        ({ panel, svg, linear }) =>
          html`<div class="panel">
            <p class="panel-name">${panel}</p>
            <p class="unseen">${chart.describePanel(panel)}</p>
            <div aria-hidden="true">${inBothAxes(svg, linear)}</div>
          </div> `,
      )}
    </div>
  </figure> `;
}

/** Draws a chart of one panel for a separate file, and gives the mark of each curve in it. */
export async function drawPanel(chart: CurveChart): Promise<DrawnPanel> {
  const drawn = chart.points.filter((point) => Number.isFinite(point.y) && point.y > 0);
  const svg = (await panelPainter(chart, drawn, 'log'))(drawn[0]?.panel ?? '');
  return { svg, ...panelSize, marks: await marksOf(chart.curves) };
}

interface DrawnPanel {
  readonly svg: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly marks: readonly string[];
}

const panelSize = { width: 340, height: 290 };

export async function legend(curves: readonly Curve[]): Promise<Html> {
  const marks = await marksOf(curves);
  return html`<ul class="legend">
    ${curves.map(
      ({ label, colour }, i) =>
        html`<li>${swatch(colour % curveColours, marks[i])}<bdi>${label}</bdi></li>`,
    )}
  </ul>`;
}

function swatch(colour: number, mark = ''): Html {
  return html`<svg class="swatch c${colour}" viewBox="-7 -7 14 14" aria-hidden="true">
    <path fill="currentColor" d="${mark}" />
  </svg>`;
}

/** The very marks that the chart uses, so that a legend cannot disagree with it: outlines around 0, 0. */
async function marksOf(curves: readonly Curve[]): Promise<readonly string[]> {
  const { Plot, document } = await openPlot();
  const figure = Plot.plot({
    document,
    color: seriesColours,
    symbol: seriesSymbols,
    axis: null,
    marks: [Plot.dot(namedMarks(curves), { ...mark, x: 'x' })],
  });
  const drawn = compact(figure.outerHTML).matchAll(/<path fill="var[^>]* d="([^"]*)"/g);
  return [...drawn].map(([, outline = '']) => outline);
}

function namedMarks(curves: readonly Curve[]): readonly { x: number; colour: string }[] {
  return curves.map(({ colour }, x) => ({ x, colour: String(colour) }));
}

const mark = { fill: 'colour', symbol: 'colour', r: 3.5 };

type Painter = (panel: string) => string;

/** Loads the libraries and fixes what panels share: the y axis, mostly the x axis, the colour of each curve. */
export async function panelPainter(
  chart: CurvePanels,
  points: readonly CurvePoint[],
  axis: AxisKind,
): Promise<Painter> {
  const { Plot, document } = await openPlot();
  const ofPanel = axesOf(points, chart, axis);
  const rules = (chart.rules ?? []).map((one) => ({ ...one, colour: String(one.colour) }));
  const titled = {
    ...(points.some(({ title }) => title !== undefined) && { title: 'title' }),
    ...(points.some(({ href }) => href !== undefined) && { href: 'href' }),
  };
  return (panel) => {
    const axes = ofPanel(panel);
    const scales = scalesOf(chart, axes, axis);
    const own = points
      .filter((point) => point.panel === panel)
      .toSorted((a, b) => a.x - b.x)
      .map((point) => ({
        ...point,
        low: point.low === null ? null : Math.max(point.low, axes.yDomain[0]),
        colour: String(chart.curves[point.curve]?.colour ?? 0),
        ...(point.title !== undefined && { title: printable(point.title) }),
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
        Plot.ruleX(rules, { ...rule, x: 'x', stroke: 'colour', title: 'title' }),
        every > 1
          ? Plot.areaY(own, { ...band, fill: 'colour', fillOpacity: 0.25 })
          : Plot.link(own, { ...band, stroke: 'colour', ...interval, ...titled }),
        Plot.lineY(own, { ...place, stroke: 'colour', strokeWidth: 1.75 }),
        Plot.dot(marked, { ...mark, ...place, ...titled }),
      ],
    });
    return compact(figure.outerHTML);
  };
}

/** Everything of a panel but its marks. */
function scalesOf(chart: CurvePanels, axes: Axes, axis: AxisKind): PlotOptions {
  const measure = { unit: chart.unit, resolution: 0 };
  return {
    className: 'plot',
    ...(chart.size ?? panelSize),
    marginLeft: 58,
    marginTop: 28,
    marginBottom: 42,
    x: {
      type: chart.xUnit === undefined ? 'linear' : 'log',
      domain: axes.xDomain,
      ticks: axes.xTicks,
      tickFormat: chart.xTicks?.format ?? ((x: number) => tickOf(x, chart.xUnit)),
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
    symbol: seriesSymbols,
  };
}

function tickOf(x: number, unit: string | undefined): string {
  return unit === undefined ? String(x) : printable(formatTick(x, { unit, resolution: 0 }));
}

const rule = { strokeDasharray: '5 4', strokeWidth: 1.5 };
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
 * stack of points on it, as 4 … 9 is on an axis up to 1476.
 */
function axesOf(
  points: readonly CurvePoint[],
  chart: CurvePanels,
  axis: AxisKind,
): (panel: string) => Axes {
  const { reference } = chart;
  const ys = [
    ...points.flatMap(({ y, low, high }) => [y, low, high]),
    ...(reference === undefined ? [] : [reference]),
  ]
    .filter((value) => value !== null)
    .filter((value) => value > 0 && Number.isFinite(value));
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
function spanOf(xs: readonly number[], { xUnit }: CurvePanels): number {
  const [least, most] = findEnds(xs);
  return xUnit === undefined ? most - least : Math.log(most / least);
}

function xAxis(
  xs: readonly number[],
  { xUnit, xTicks }: CurvePanels,
): Pick<Axes, 'xs' | 'xDomain' | 'xTicks'> {
  const [first, last] = findEnds(xs);
  const padding = last === first ? 1 : (last - first) * 0.04;
  const most = xTicks?.most ?? 8;
  return {
    xs,
    xDomain: xUnit === undefined ? [first - padding, last + padding] : [first / 1.6, last * 1.6],
    xTicks: xUnit === undefined ? apart(thinned(xs, most), most + 1) : thinned(xs, most),
  };
}

const fewestTicks = 3;

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
  const ticks = (isLinear ? linearTicks : isRatio ? ratioTicks : logTicks)(...yDomain);
  // Within less than a decade an axis could have one mark, or none.
  return { yDomain, yTicks: ticks.length < fewestTicks ? linearTicks(...yDomain) : ticks };
}
