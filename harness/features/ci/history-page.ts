import { html, type Html } from '../../../reports/html/escape.ts';
import { formatQuantity, isTime, plural } from '../../../reports/html/number.ts';
import { frame, page } from '../../../reports/html/page.ts';
import { table } from '../../../reports/html/table.ts';
import {
  drawVersions,
  type VersionMark,
  type VersionStep,
  versionChartStyle,
} from '../../../reports/html/version-chart.ts';
import { changeInShort } from '../../../reports/wording/change.ts';
import type { HistoryReading } from '../../core/app/extensions.ts';
import type { ComparedRow } from './comparison-answer.ts';
import { type HistoryEntry, readHistory } from './history.ts';

/** A commit of the main branch, compared with the one that was measured before it. */
interface Point {
  readonly entry: HistoryEntry;
  readonly row: ComparedRow;
  /** The product of the ratios so far. */
  readonly level: number;
  /** Its base is not the commit before in this history. */
  readonly isApart: boolean;
}

/** One measure of a page in one browser, over the commits. */
interface Trend {
  readonly page: string;
  readonly device: string;
  readonly title: string;
  readonly unit: string;
  readonly points: readonly Point[];
}

/**
 * Draws the trend of each page and measure over the commits of the main branch. Each commit was
 * measured next to the one before, on one machine, so the line is a product of ratios: another machine
 * does not move it. A change is a commit whose comparison was decided.
 * @throws FarmError `unknown-run` for no folder of a history
 */
export async function renderHistory({ folder, ...writing }: HistoryReading): Promise<string> {
  const { entries, leftOut } = await readHistory(folder);
  const trends = findTrends(entries);
  const changes = trends.flatMap((trend) =>
    trend.points.filter(isChange).map((point) => ({ trend, point })),
  );
  const pulls = new Set(entries.flatMap(({ pull }) => pull ?? [])).size;
  const sections = [
    html`<section class="lead" aria-labelledby="in-short">
      <h2 id="in-short">In short</h2>
      <ul>
        ${changes
          .slice(-10)
          .toReversed()
          .map(({ trend, point }) => html`<li><bdi>${describeChange(trend, point)}</bdi></li> `)}
        <li>
          ${plural(entries.length, 'comparison')} of commits, ${plural(pulls, 'pull request')} among
          them.
        </li>
        ${leftOut.length > 0 && html`<li>${plural(leftOut.length, 'file')} of the folder are no results.</li>`}
      </ul>
    </section>`,
    ...trends.map(drawTrend),
  ];
  const count =
    changes.length === 0
      ? 'No commit made a difference'
      : `${plural(changes.length, 'change')} of speed`;
  return page({
    title: 'History of main',
    body: frame({
      ...writing,
      kind: 'history',
      title: 'History of main',
      finding: count,
      links: [],
      sections,
    }),
    uses: [{ style: versionChartStyle }],
    data: { format: 'crossfarm-history-report-1', entries },
  });
}

/** The trends of pushes; pull requests have none. */
function findTrends(entries: readonly HistoryEntry[]): readonly Trend[] {
  const trends = new Map<string, Trend & { readonly points: Point[] }>();
  // Of a commit that was measured again the newest result.
  const newest = new Map(
    entries.filter(({ pull }) => pull === null).map((one) => [one.page + one.head.hash, one]),
  );
  for (const entry of newest.values()) {
    for (const row of entry.rows) {
      const { device, title, unit } = row;
      const key = JSON.stringify([entry.page, device, title]);
      const trend = trends.get(key) ?? { page: entry.page, device, title, unit, points: [] };
      trends.set(key, trend);
      const before = trend.points.at(-1);
      trend.points.push({
        entry,
        row,
        level: (before?.level ?? 1) * (row.ratio ?? 1),
        isApart: before !== undefined && before.entry.head.hash !== entry.base.hash,
      });
    }
  }
  return [...trends.values()];
}

function isChange({ row: { verdict } }: Point): boolean {
  return verdict === 'slower' || verdict === 'faster';
}

function nameCommit({ head: { hash } }: HistoryEntry): string {
  return hash.slice(0, 12);
}

function describeVerdict({ verdict, ratio, unit }: ComparedRow): string {
  if (ratio === null || (verdict !== 'slower' && verdict !== 'faster')) return verdict;
  return changeInShort({ verdict, ratio, isTime: isTime(unit) });
}

function describeChange({ page: name, device, title }: Trend, { entry, row }: Point): string {
  const change = describeVerdict(row).replaceAll(' %', '\u00a0%');
  return `${name}, ${title}, ${device}: ${change} at ${nameCommit(entry)}`;
}

function drawTrend(trend: Trend, index: number): Html {
  const { page: name, device, title, points } = trend;
  const id = `trend-${String(index + 1)}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}"><bdi>${name}, ${title}, ${device}</bdi></h2>
    ${points.length > 1 && drawChart(trend, id)} ${drawTable(trend, id)}
  </section>`;
}

function drawChart({ points, title }: Trend, id: string): Html {
  const marks = points.map((point, x): VersionMark => {
    const { entry, row, level } = point;
    const before = level / (row.ratio ?? 1);
    return {
      x,
      label: entry.head.hash.slice(0, 7),
      value: level,
      low: before * (row.low ?? row.ratio ?? 1),
      high: before * (row.high ?? row.ratio ?? 1),
      href: `#${id}-${String(x)}`,
      words: [`${nameCommit(entry)}: ${describeVerdict(row)}`, entry.head.committedAt],
    };
  });
  const steps = points.flatMap((point, to): readonly VersionStep[] =>
    to > 0 && isChange(point)
      ? [{ from: to - 1, to, isSlower: point.row.verdict === 'slower' }]
      : [],
  );
  const formatValue = (value: number): string => `${value.toFixed(2)}×`;
  return drawVersions({ label: `${title} against commits`, marks, steps, formatValue });
}

function drawTable({ points, unit }: Trend, id: string): Html {
  const value = (number: number | null): string =>
    number === null ? '—' : formatQuantity(number, { unit, resolution: 0 });
  return table({
    caption: 'Each commit, the newest first',
    id: `${id}-commits`,
    stack: true,
    columns: [
      { title: 'commit' },
      { title: 'committed', label: 'committed' },
      { title: 'before', label: 'before', kind: 'number' },
      { title: 'after', label: 'after', kind: 'number' },
      { title: 'difference', label: 'difference' },
    ],
    groups: [
      {
        rows: points
          .map(({ entry, row, isApart }, index) => [
            html`<code id="${id}-${String(index)}">${nameCommit(entry)}</code>`,
            entry.head.committedAt,
            value(row.firstValue),
            value(row.value),
            `${describeVerdict(row)}${isApart ? ' (commits before it were not measured)' : ''}`,
          ])
          .toReversed(),
      },
    ],
  });
}
