/**
 * Published and measured figures, one line each on a common axis: a hollow diamond (or a pale bar
 * from end to end of a range) for the published figure, a dot with its interval for ours. Places
 * are percentages, so that the picture is as wide as the page and its text never shrinks.
 */
import { html, raw, type Content, type Html } from './escape.ts';
import { formatCount, formatRatioTick, formatTick } from './number.ts';
import { findEnds, linearTicks, logTicks, ratioTicks, thinned, type AxisKind } from './axes.ts';

export interface ForestRow {
  readonly title: Content;
  /** The marks in words, as the text alternative. */
  readonly words: Content;
  /** Low equals high for one number; null where no number was published. */
  readonly published: { readonly low: number; readonly high: number } | null;
  readonly measured: {
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
  } | null;
  /** Other differences that were seen with it, below the words. */
  readonly why?: Content;
  /** Text of the marks' tooltips; the published and measured figures when left out. */
  readonly tooltip?: string;
  /** Address that its marks lead to, as its words do. */
  readonly href?: string;
}

export interface Forest {
  /** A ratio's axis is logarithmic around 1, unless the reader wants a linear one; a level's is linear and begins at 0. */
  readonly kind: 'ratio' | 'level';
  readonly unit: string;
  readonly caption: Content;
  /** Values that the axis reaches in any case, such as the 100 of a share. */
  readonly reaches?: readonly number[];
  /** Words and line of a row stand side by side where the page is wide. */
  readonly isCompact?: boolean;
  /** Further rows are folded; all are shown when left out. */
  readonly mostShown?: number;
  readonly rows: readonly ForestRow[];
}

interface Scale {
  readonly kind: Forest['kind'];
  readonly axis: AxisKind;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

const lineHeight = 26;
const middle = lineHeight / 2;
/** Share of the width that is kept free at both ends, for marks and for the text of the last tick. */
const margin = 0.05;
const mostTicks = 6;

/** Rows without any number have their words and no line. */
export function drawForest(forest: Forest): Html {
  const scale = scaleOf(forest);
  const { rows, mostShown = rows.length } = forest;
  const more = rows.slice(mostShown);
  return html`<figure class="forest${forest.isCompact === true && ' compact'}">
    <figcaption>${forest.caption}</figcaption>
    ${rowList(rows.slice(0, mostShown), forest, scale)}${
      more.length > 0 &&
      html`<details>
        <summary>${formatCount(more.length)} more</summary>
        ${rowList(more, forest, scale)}
      </details>`
    }
  </figure> `;
}

function rowList(rows: readonly ForestRow[], { unit }: Forest, scale: Scale | null): Html {
  return html`<ul>
      ${rows.map(
        (row) =>
          html`<li>
            <p>${row.title}</p>
            ${scale !== null && line(row, scale, unit)}
            <p class="soft">
              ${row.words}${row.why !== undefined && html` <span class="why">${row.why}</span>`}
            </p>
          </li> `,
      )}
    </ul>
    ${scale !== null && axisOf(scale, unit)}`;
}

function scaleOf({ kind, rows, reaches = [] }: Forest): Scale | null {
  const seen = rows
    .flatMap(({ published, measured }) => [
      ...(published === null ? [] : [published.low, published.high]),
      ...(measured === null ? [] : [measured.value, measured.low, measured.high]),
    ])
    .filter((value) => value !== null)
    .filter((value) => drawable(value, kind));
  if (seen.length === 0) return null;
  const [least, most] = findEnds([...seen, kind === 'ratio' ? 1 : 0, ...reaches]);
  if (kind === 'ratio') {
    // Noise around 1 is not stretched over the whole width.
    const room = Math.max(1.02, (most / least) ** 0.04);
    const [from, to] = [least / room, most * room];
    const ticks = to / from > 4 ? logTicks(from, to) : ratioTicks(from, to);
    return { kind, axis: 'log', from, to, ticks: thinned(ticks, mostTicks) };
  }
  const to = most > least ? most : least + 1;
  return {
    kind,
    axis: 'linear',
    from: least,
    to,
    ticks: thinned(linearTicks(least, to), mostTicks),
  };
}

function drawable(value: number, kind: Forest['kind']): boolean {
  return Number.isFinite(value) && (kind === 'level' || value > 0);
}

/** Place on the axis in per cent of the width. */
function place({ axis, from, to }: Scale, value: number): number {
  const share =
    axis === 'log' ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  const inside = margin + Math.min(1, Math.max(0, share)) * (1 - 2 * margin);
  return Math.round(inside * 10_000) / 100;
}

function line(row: ForestRow, scale: Scale, unit: string): Html {
  const words = row.tooltip ?? describeMarks(row, unit);
  return onBothAxes(scale, (one) => lineOn(row, one, words));
}

/** "published 2× … 3×; measured 2.4× (2.1× … 2.8×)". */
function describeMarks({ published, measured }: ForestRow, unit: string): string {
  const text = (value: number): string =>
    unit === '×'
      ? formatRatioTick(Number(value.toPrecision(3)))
      : formatTick(value, { unit, resolution: 0 });
  const range = (low: number, high: number): string =>
    low === high ? text(low) : `${text(low)} … ${text(high)}`;
  const known = measured !== null && Number.isFinite(measured.value);
  const parts = [
    published === null ? '' : `published ${range(published.low, published.high)}`,
    known ? `measured ${text(measured.value)}` : '',
  ].filter((part) => part !== '');
  const { low = null, high = null } = measured ?? {};
  const isBounded = low !== null && high !== null && Number.isFinite(low + high);
  const interval = isBounded ? ` (${range(low, high)})` : '';
  return `${parts.join('; ')}${interval}`;
}

/** A level has one axis, a ratio two, of which one is seen. */
function onBothAxes(scale: Scale, draw: (scale: Scale) => Html): Html {
  if (scale.kind === 'level') return draw(scale);
  return html`${draw(scale)}${draw(linearTwin(scale))}`;
}

/** The same stretch, so that small differences are not lost next to 0. */
function linearTwin({ from, to, ...scale }: Scale): Scale {
  return { ...scale, axis: 'linear', from, to, ticks: thinned(linearTicks(from, to), mostTicks) };
}

/** Class of a drawing; one without a twin is seen on either axis. */
function classOf({ kind, axis }: Scale): string {
  return kind === 'level' ? 'line' : `line ${axis}`;
}

function lineOn({ published, measured, href }: ForestRow, scale: Scale, words: string): Html {
  const shown = (value: number): boolean => drawable(value, scale.kind);
  const hasPublished = published !== null && shown(published.low) && shown(published.high);
  const hasMeasured = measured !== null && shown(measured.value);
  const marks = html`${(hasPublished || hasMeasured) && html`<title>${words}</title>`}
  ${hasPublished && publishedMark(published, scale)}${hasMeasured && measuredMark(measured, scale)}`;
  // The words next to the picture have the same link, for the keyboard.
  return html`<svg class="${classOf(scale)}" height="${lineHeight}" aria-hidden="true">
    ${raw(reference(scale))}${href === undefined ? html`<g>${marks}</g>` : html`<a href="${href}" tabindex="-1">${marks}</a>`}
  </svg>`;
}

/** Ticks as pale lines, and where nothing is different a dashed one. */
function reference(scale: Scale): string {
  const upright = (value: number, name: string): string => {
    const x = `${String(place(scale, value))}%`;
    return `<line class="${name}" x1="${x}" x2="${x}" y1="0" y2="${String(lineHeight)}"/>`;
  };
  const ticks = scale.ticks.map((tick) => upright(tick, 'g'));
  return [...ticks, scale.kind === 'ratio' ? upright(1, 'one') : ''].join('');
}

function publishedMark({ low, high }: NonNullable<ForestRow['published']>, scale: Scale): Html {
  const [from, to] = [place(scale, low), place(scale, high)];
  const diamond = (x: number): string =>
    `<svg x="${String(x)}%" y="${String(middle)}"><path class="p" d="M0-6 6 0 0 6-6 0z"/></svg>`;
  if (low === high) return raw(diamond(from));
  const width = Math.max(0, to - from).toFixed(2);
  return raw(
    `<rect class="range" x="${String(from)}%" width="${width}%" y="${String(middle - 5)}" height="10"/>` +
      `${diamond(from)}${diamond(to)}`,
  );
}

function measuredMark(
  { value, low, high }: NonNullable<ForestRow['measured']>,
  scale: Scale,
): Html {
  const known = low !== null && high !== null;
  const ends = [low, high].filter((end) => end !== null && drawable(end, scale.kind));
  const [from, to] = ends.map((end) => `${String(place(scale, end ?? value))}%`);
  const bar =
    known && from !== undefined && to !== undefined
      ? `<line class="i" x1="${from}" x2="${to}" y1="${String(middle)}" y2="${String(middle)}"/>`
      : '';
  return raw(
    `${bar}<circle class="m${bar === '' ? ' open' : ''}" cx="${String(place(scale, value))}%" cy="${String(middle)}" r="5"/>`,
  );
}

function axisOf(scale: Scale, unit: string): Html {
  return onBothAxes(scale, (one) => axisOn(one, unit));
}

function axisOn(scale: Scale, unit: string): Html {
  return html`<svg class="${classOf(scale)}" height="20" aria-hidden="true">
    ${scale.ticks.map(
      (tick) =>
        html`<text x="${place(scale, tick)}%" y="13">${tickText(tick, scale.kind, unit)}</text>`,
    )}
  </svg>`;
}

function tickText(tick: number, kind: Forest['kind'], unit: string): string {
  if (kind === 'ratio') return formatRatioTick(tick);
  return tick === 0 ? '0' : formatTick(tick, { unit, resolution: 0 });
}
