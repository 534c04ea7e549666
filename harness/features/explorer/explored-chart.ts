import {
  legend,
  panelPainter,
  type CurvePoint,
  type CurveRule,
} from '../../../reports/html/charts.ts';
import { linkCase } from '../../../reports/client/case-address.js';
import { html, printable, raw, type Html } from '../../../reports/html/escape.ts';
import { formatQuantity, plural } from '../../../reports/html/number.ts';
import { drawRows } from '../../../reports/html/row-chart.ts';
import type { Summary } from '../../core/model/history.ts';
import type { ExploreView } from '../../core/server/api/explore-view.ts';
import type { MarkedChange } from './explored-changes.ts';
import { placePoints, withCurves, type Benchmark, type Point } from './explored-curves.ts';

/** More panels than these are not looked at. */
const mostPanels = 24;

/** Pixels. A panel that is alone takes all the room that there is, up to what is easily read. */
const usualWidth = 420;
const widest = 900;
const narrowest = 240;

/** The chosen series as curves, in the drawing of the reports; nothing where none can be drawn. */
export async function drawExplored(
  summaries: readonly Summary[],
  { view, benchmark: declared, changes = [] }: ExploredBenchmark,
): Promise<Html> {
  const benchmark = withCurves(summaries, declared);
  const isDrawn = ({ value }: Point): boolean => view.scale === 'linear' || value > 0;
  const placed = placePoints(summaries, view, benchmark);
  const points = placed.filter(isDrawn);
  const inOrder = new Intl.Collator('en', { numeric: true });
  const panels = [...new Set(points.map(({ panel }) => panel))].sort(inOrder.compare);
  const shown = panels.slice(0, mostPanels);
  const [first] = points;
  // One run has no course: its values stand above it, in the table.
  const isOneRun =
    view.filter.case !== undefined && new Set(points.map(({ summary }) => summary.run)).size < 2;
  if (first === undefined || isOneRun) return html``;
  const labels = new Map(points.map(({ curve, label }) => [curve, label]));
  const curves = [...labels.keys()].sort();
  const drawing = { view, benchmark, changes, curves, width: widthOf(view, shown.length) };
  const paint = await painterOf(points, drawing);
  const pictures = shown.map((panel) => ({ panel, svg: paint(panel) }));
  const { metricTitle, unit } = first.summary;
  const drawn = placed.reduce((sum, { series }) => sum + series, 0);
  const left = summaries.filter(({ statistics }) => statistics !== null).length - drawn;
  return html`<figure>
      <figcaption>
        <h2>
          ${metricTitle} (${unit}),
          ${wordsOf(view)}${panels.length > 1 && '; all panels have one axis'}
        </h2>
      </figcaption>
      ${await legend(curves.map((curve, colour) => ({ label: labels.get(curve) ?? curve, colour })))}
      <div class="panels${shown.length === 1 && ' single'}">
        ${pictures.map(
          ({ panel, svg }) =>
            html`<div class="panel">
              <p class="panel-name"><bdi>${panel}</bdi></p>
              <p class="unseen">${inWords(panel, points)}</p>
              <div aria-hidden="true">${raw(withoutStops(svg))}</div>
            </div> `,
        )}
      </div>
      ${panels.length > shown.length && html`<p class="soft">${plural(panels.length - shown.length, 'panel is', 'panels are')} not drawn: narrow the filters, or read the table.</p>`}
    </figure>
    ${view.average !== '' && left > 0 && html`<p class="soft">${plural(left, 'series is', 'series are')} in no mean: a curve has the same browsers along its length, and these are missing elsewhere.</p>`}`;
}

/** Its links are for a pointer: the table below leads to the same pages by the keyboard. */
function withoutStops(svg: string): string {
  return svg.replaceAll('<a ', '<a tabindex="-1" ');
}

export interface ExploredBenchmark {
  readonly view: ExploreView;
  readonly benchmark: Benchmark;
  /** Of what is shown over runs; none when left out. */
  readonly changes?: readonly MarkedChange[];
}

interface Drawing extends Required<ExploredBenchmark> {
  readonly curves: readonly string[];
  readonly width: number;
}

function widthOf({ width }: ExploreView, panels: number): number {
  return Math.max(narrowest, Math.min(width, panels === 1 ? widest : usualWidth));
}

function wordsOf({ statistic, average }: ExploreView): string {
  const trials = `${statistic} of the trials`;
  if (average === '') return trials;
  return `mean over ${average === 'all' ? 'all browsers' : 'browsers of a family'} of the ${trials}`;
}

async function painterOf(
  points: readonly Point[],
  drawing: Drawing,
): Promise<(panel: string) => string> {
  const { view, benchmark, curves, width, changes } = drawing;
  const { growthOver } = benchmark;
  const isOverRuns = view.filter.case !== undefined;
  const unit = points[0]?.summary.unit ?? '';
  const placed = points.map((point) => ({
    ...point,
    curve: curves.indexOf(point.curve),
    y: point.value,
    title: titleOf(point),
    href: linkPoint(point),
  }));
  if (!isOverRuns && growthOver === null) {
    const rows = placed.map((point) => ({ ...point, row: point.summary.case }));
    return drawRows(rows, { unit, width, axis: view.scale });
  }
  const xOf = ({ summary }: Point): number =>
    isOverRuns ? Date.parse(summary.runStartedAt) : Number(summary.parameters[growthOver ?? '']);
  const own: readonly CurvePoint[] = placed.map((point, i) => ({
    ...point,
    x: xOf(points[i] as Point),
  }));
  const rules: readonly CurveRule[] = changes.flatMap(({ curve, ...change }) => {
    const colour = curves.indexOf(curve);
    const { label, ratio, state, cause } = change;
    const title = printable(`${label}: ${ratio} (${state}), ${cause}`);
    return colour < 0 ? [] : [{ x: Date.parse(change.startedAt), colour, title }];
  });
  const chart = {
    xLabel: isOverRuns ? 'run →' : `${growthOver ?? ''} →`,
    yLabel: `↑ ${unit}`,
    unit,
    curves: curves.map((label, colour) => ({ label, colour })),
    size: { width, height: width > usualWidth ? 400 : 300 },
    rules,
    ...(isOverRuns && { xTicks: { format: dayOf, most: Math.floor(width / dayWidth) - 1 } }),
  };
  return panelPainter(chart, own, view.scale);
}

/** Pixels that a day takes as a label, with the room around it. */
const dayWidth = 80;

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The page of its case, with the trials of its run. */
function linkPoint({ summary: { case: name, run } }: Point): string {
  return linkCase(name, `run=${String(run)}`);
}

function titleOf({ summary, value }: Point): string {
  const { deviceName, version, run, runStartedAt, trials, unit } = summary;
  const device = version === null ? deviceName : `${deviceName} ${version}`;
  const when = `${runStartedAt.slice(0, 10)} ${runStartedAt.slice(11, 16)}`;
  return printable(
    `${summary.case}, ${device}, run ${String(run)} of ${when}: ${formatQuantity(value, { unit, resolution: 0 })}, ${plural(trials, 'trial')}`,
  );
}

/** Text alternative of a panel: the table has every value. */
function inWords(panel: string, points: readonly Point[]): string {
  const own = points.filter((point) => point.panel === panel);
  const labels = [...new Set(own.map(({ label }) => label))];
  const unit = own[0]?.summary.unit ?? '';
  const values = own.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) =>
    formatQuantity(value, { unit, resolution: 0 }),
  );
  return printable(
    `${panel}: ${plural(own.length, 'value')} of ${labels.join('; ')}, from ${least ?? ''} to ${most ?? ''}. The table below has each.`,
  );
}
