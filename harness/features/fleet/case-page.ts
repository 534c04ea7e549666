import { html, type Html } from '../../../reports/html/escape.ts';
import { type CurvePoint, drawCurves } from '../../../reports/html/charts.ts';
import { formatQuantity, plural } from '../../../reports/html/number.ts';
import { table } from '../../../reports/html/table.ts';
import { groupBy } from '../../core/analysis/grouping.ts';
import type { CasePoint } from './farm-queries.ts';
import { type FarmPage, layOut, moment, section, type Surroundings } from './farm-layout.ts';
import { hostFilter } from './farm-pages.ts';

/** Rows of the table below the chart. */
const mostRows = 200;
/** A reader cannot distinguish more curves. */
const mostCurves = 10;

/** A case in the runs of all hosts, or of one: a curve for each host, a panel for each device. */
export async function casePage(
  around: Surroundings,
  {
    name,
    points,
    hosts,
    host,
  }: {
    readonly name: string;
    readonly points: readonly CasePoint[];
    readonly hosts: readonly string[];
    readonly host: string | undefined;
  },
): Promise<FarmPage> {
  const charts = await Promise.all(
    [...groupBy(points, ({ metric }) => metric)].map(([metric, ofIt], index) =>
      drawMetric(metric, ofIt, index),
    ),
  );
  const measuredOn = new Set(points.map((point) => point.host)).size;
  return layOut(around, {
    title: name,
    kicker: host === undefined ? `on ${plural(measuredOn, 'host')}` : `on ${host}`,
    sections: [
      hostFilter(hosts, host, `/cases/${encodeURIComponent(name)}`),
      ...charts,
      section(
        'runs',
        'Runs',
        points.length === 0
          ? html`<p>No finished run has it here.</p>`
          : pointTable(points.slice(0, mostRows)),
      ),
      points.length > mostRows && html`<p class="soft">The newest ${mostRows} are listed.</p>`,
    ],
  });
}

function drawMetric(metric: string, points: readonly CasePoint[], index: number): Promise<Html> {
  const hosts = [...new Set(points.map(({ host }) => host))].toSorted().slice(0, mostCurves);
  const [first] = points;
  const drawn = points.flatMap(
    ({ host, device, median, startedAt, run }): readonly CurvePoint[] => {
      const curve = hosts.indexOf(host);
      if (curve < 0) return [];
      const place = { curve, panel: device, x: startedAt.getTime(), y: median };
      return [{ ...place, low: null, high: null, href: `/runs/${String(run)}` }];
    },
  );
  return drawCurves({
    id: `metric-${String(index)}`,
    title: metric,
    caption: `The median of each run, in ${first?.unit ?? ''}; a curve for each host.`,
    twin: false,
    xLabel: 'night',
    yLabel: metric,
    unit: first?.unit ?? '',
    xTicks: { format: (x) => new Date(x).toISOString().slice(5, 10), most: 4 },
    curves: hosts.map((label, colour) => ({ label, colour })),
    points: drawn.toSorted((one, other) => one.panel.localeCompare(other.panel) || one.x - other.x),
    describePanel: (device) => describePanel(points.filter((one) => one.device === device)),
  });
}

function describePanel(points: readonly CasePoint[]): string {
  const newest = [...groupBy(points, ({ host }) => host)].flatMap(([host, [one]]) =>
    one === undefined ? [] : [`${host} ${formatQuantity(one.median, measureOf(one))}`],
  );
  return `The newest: ${newest.join(', ')}.`;
}

function measureOf({ unit }: CasePoint): { readonly unit: string; readonly resolution: number } {
  return { unit, resolution: 0 };
}

function pointTable(points: readonly CasePoint[]): Html {
  return table({
    id: 'points-table',
    caption: 'Medians, the newest first',
    hideCaption: true,
    stack: true,
    columns: [
      { title: 'Run' },
      { title: 'Host', label: 'Host' },
      { title: 'Device', label: 'Device' },
      { title: 'Metric', label: 'Metric' },
      { title: 'Median', label: 'Median', kind: 'number' },
      { title: 'Trials', label: 'Trials', kind: 'number' },
      { title: 'Began', label: 'Began' },
    ],
    groups: [
      {
        rows: points.map((point) => [
          html`<a href="/runs/${point.run}">run ${point.run}</a>`,
          point.host,
          point.device,
          point.metric,
          formatQuantity(point.median, measureOf(point)),
          point.trials,
          moment(point.startedAt),
        ]),
      },
    ],
  });
}
