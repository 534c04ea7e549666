import { unbroken } from '../../../reports/client/number.js';
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
import { shellWord } from '../../core/app/run/repeat-command.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { ComparedRow } from './comparison-answer.ts';
import { type HistoryEntry, readHistory } from './history.ts';
import { type Drift, findDrifts, findTrends, isChange, type Point, type Trend } from './trends.ts';

/**
 * Draws the trend of each page and measure over the commits of the main branch. Each commit was
 * measured next to the one before, on one machine, so the line is a product of ratios: another machine
 * does not move it. A change is a commit whose comparison was decided; a drift is several that were not.
 * @throws FarmError `unknown-run` for no history
 */
export async function renderHistory({ place, ...writing }: HistoryReading): Promise<string> {
  const { entries, leftOut } = await readHistory(place);
  const found = findTrends(entries);
  const all = found.map((trend) => ({ trend, drifts: findDrifts(trend.points, found.length) }));
  const isNews = ({ trend, drifts }: (typeof all)[number]): boolean =>
    drifts.length > 0 || trend.points.some(isChange);
  // Changes come first.
  const shown = [...all.filter(isNews), ...all.filter((one) => !isNews(one))];
  const trends = shown.map(({ trend }) => trend);
  const drifts = shown.map((one) => one.drifts);
  const changes = trends.flatMap((trend) =>
    trend.points.filter(isChange).map((point) => ({ trend, point })),
  );
  const pulls = new Set(entries.flatMap(({ pull }) => pull ?? [])).size;
  const sections = [
    html`<section class="lead" aria-labelledby="in-short">
      <h2 id="in-short">In short</h2>
      <ul>
        ${trends.flatMap((trend, index) => (drifts[index] ?? []).map((drift) => html`<li><bdi>${describeDrift(trend, drift)}</bdi></li> `))}
        ${changes
          .slice(-10)
          .toReversed()
          .map(({ trend, point }) => html`<li><bdi>${describeChange(trend, point)}</bdi></li> `)}
        <li>
          ${plural(entries.length, 'comparison')} of
          commits${pulls > 0 && `, ${plural(pulls, 'pull request')} among them`}.
        </li>
        ${leftOut.length > 0 && html`<li>${plural(leftOut.length, 'entry', 'entries')} cannot be read.</li>`}
      </ul>
    </section>`,
    ...trends.map((trend, index) => drawTrend(trend, index, drifts[index] ?? [])),
  ];
  const drifted = drifts.flat().length;
  const count = [
    ...(changes.length === 0 ? [] : [`${plural(changes.length, 'change')} of speed`]),
    ...(drifted === 0 ? [] : [`${plural(drifted, 'drift')} in small steps`]),
  ];
  return page({
    title: 'History of main',
    body: frame({
      ...writing,
      kind: 'history',
      title: 'History of main',
      finding: count.join(', ') || 'No commit made a difference',
      links: [],
      sections,
    }),
    uses: [{ style: versionChartStyle + narrowStyle }],
    data: { format: 'crossfarm-history-report-1', entries },
  });
}

/** A narrow screen has room for a third of the hashes. */
const narrowStyle = `
@media(max-width:600px){.versions .x:not(:nth-of-type(3n)){display:none}}`;

function nameCommit({ head: { hash } }: HistoryEntry): string {
  return hash.slice(0, 12);
}

function describeVerdict({ verdict, ratio, unit }: ComparedRow): string {
  if (verdict === 'equivalent') return 'same';
  if (verdict === 'undecided') return 'not decided';
  if (ratio === null || (verdict !== 'slower' && verdict !== 'faster')) return verdict;
  return changeInShort({ verdict, ratio, isTime: isTime(unit) });
}

function describeChange({ page: name, device, title }: Trend, { entry, row }: Point): string {
  const change = unbroken(describeVerdict(row));
  return `${name}, ${title}, ${device}: ${change} at ${nameCommit(entry)}`;
}

/** Several commits that changed a measure in small steps, with the command that settles it. */
function describeDrift({ page: name, device, title, unit, points }: Trend, drift: Drift): Html {
  const { from, to, ratio } = drift;
  const [first, last] = [points[from], points[to]];
  if (first === undefined || last === undefined) return html``;
  const verdict = ratio > 1 ? 'slower' : 'faster';
  const change = unbroken(changeInShort({ verdict, ratio, isTime: isTime(unit) }));
  const [base, head] = [first.entry.base.hash, last.entry.head.hash].map((one) => one.slice(0, 12));
  const commits = plural(to - from + 1, 'commit');
  return html`${name}, ${title}, ${device}: about ${change} over ${commits}, each too small to be
    decided. This settles it:
    <code>${npxCrossfarm} compare --page ${shellWord(last.entry.page)} ${base} ${head}</code>`;
}

function drawTrend(trend: Trend, index: number, drifts: readonly Drift[]): Html {
  const { page: name, device, title } = trend;
  const id = `trend-${String(index + 1)}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}"><bdi>${name}, ${title}, ${device}</bdi></h2>
    ${drawChart(trend, drifts, id)}
    <p class="soft">
      A bar is the interval of one comparison. Errors add up along the line, so a slope without a
      shade may be one.
    </p>
    <details>
      <summary>${plural(trend.points.length, 'commit')}, the newest first</summary>
      ${drawTable(trend, id)}
    </details>
  </section>`;
}

/** The commit before the first one is at 1. */
function drawChart({ points, title, unit }: Trend, drifts: readonly Drift[], id: string): Html {
  const start = points[0]?.entry.base ?? { hash: '', committedAt: '' };
  const before: VersionMark = {
    x: 0,
    label: start.hash.slice(0, 7),
    value: 1,
    low: 1,
    high: 1,
    href: `#${id}-0`,
    words: [
      `${start.hash.slice(0, 12)}: all others are compared with it`,
      start.committedAt.slice(0, 10),
    ],
  };
  const marks = points.map((point, index): VersionMark => {
    const { entry, row, level } = point;
    const base = level / (row.ratio ?? 1);
    return {
      x: index + 1,
      label: entry.head.hash.slice(0, 7),
      value: level,
      low: base * (row.low ?? row.ratio ?? 1),
      high: base * (row.high ?? row.ratio ?? 1),
      href: `#${id}-${String(index)}`,
      words: [`${nameCommit(entry)}: ${describeVerdict(row)}`, entry.head.committedAt.slice(0, 10)],
    };
  });
  const changes = points.flatMap((point, from): readonly VersionStep[] =>
    isChange(point) ? [{ from, to: from + 1, isSlower: point.row.verdict === 'slower' }] : [],
  );
  // Only of times the farm knows which way is better.
  const drifting = isTime(unit)
    ? drifts.map(({ from, to, ratio }) => ({ from, to: to + 1, isSlower: ratio > 1 }))
    : [];
  const steps = [...changes, ...drifting].toSorted((one, other) => one.from - other.from);
  const formatValue = (value: number): string => `${value.toFixed(2)}×`;
  const label = `${title} against commits`;
  return drawVersions({ label, marks: [before, ...marks], steps, formatValue });
}

function drawTable({ points, unit }: Trend, id: string): Html {
  const value = (number: number | null): string =>
    number === null ? '—' : formatQuantity(number, { unit, resolution: 0 });
  return table({
    caption: 'Each commit next to the one before',
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
            entry.head.committedAt.slice(0, 10),
            value(row.firstValue),
            value(row.value),
            `${describeVerdict(row)}${isApart ? ' (commits before it were not measured)' : ''}`,
          ])
          .toReversed(),
      },
    ],
  });
}
