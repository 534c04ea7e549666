/**
 * Small figures in whole numbers of pixels, one path each: a report may hold thousands of them, so every
 * byte counts. Colours come from the stylesheet by class.
 */
import { html, raw, type Html } from './escape.ts';

/** Where a value stands between the ends of a strip: 0 to 1. Several strips share one axis. */
export interface Axis {
  readonly from: number;
  readonly to: number;
  readonly logarithmic: boolean;
}

/** An axis narrower than this would show plain noise as if it were wide. */
const leastSpan = 1.1;

/** The axis on which all values can be seen: logarithmic, since targets differ by factors, where all are positive. */
export function axisOver(values: readonly number[]): Axis | null {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return null;
  const least = finite.reduce((a, b) => Math.min(a, b));
  const most = finite.reduce((a, b) => Math.max(a, b));
  if (least <= 0) return { from: least, to: most > least ? most : least + 1, logarithmic: false };
  const widen = Math.sqrt(Math.max(1, leastSpan / (most / least)));
  return { from: least / widen, to: most * widen, logarithmic: true };
}

function positionOn(axis: Axis, value: number): number {
  const { from, to, logarithmic } = axis;
  const share = logarithmic
    ? Math.log(value / from) / Math.log(to / from)
    : (value - from) / (to - from);
  return Math.min(1, Math.max(0, share));
}

const stripWidth = 240;
const margin = 4;

function pixel(axis: Axis, value: number): number {
  return Math.round(margin + positionOn(axis, value) * (stripWidth - 2 * margin));
}

/** Lanes keep equal values apart: the first trial stands in the first, the fourth in the first again. */
const lanes = 3;
const laneHeight = 5;

/**
 * Every trial as a dot in block order, its interval as a band, its median as a line. The width and
 * height are the stylesheet's, pixel for pixel, so there is no viewBox.
 */
export function trialStrip(
  cell: {
    readonly values: readonly number[];
    readonly low: number;
    readonly high: number;
    readonly median: number;
  },
  { axis, colour }: { readonly axis: Axis; readonly colour: number },
): Html {
  const low = pixel(axis, cell.low);
  const band = `M${String(low)} 0h${String(Math.max(1, pixel(axis, cell.high) - low))}v18H${String(low)}z`;
  const median = String(pixel(axis, cell.median));
  // The row already says everything in words: for a screen reader the picture is only noise.
  return raw(
    `<svg class="s c${String(colour)}" aria-hidden="true"><path class="b" d="${band}"/>` +
      `<path class="m" d="M${median} 0v18"/><path class="d" d="${dots(cell.values, axis)}"/></svg>`,
  );
}

/** Closed subpaths of no length, which round line ends make dots. Steps from dot to dot are the shortest to write. */
function dots(values: readonly number[], axis: Axis): string {
  const places = values.map((value, i) => ({ x: pixel(axis, value), lane: i % lanes }));
  places.sort((a, b) => a.lane - b.lane || a.x - b.x);
  let path = '';
  let at = { x: 0, lane: -1 };
  for (const place of places) {
    if (place.x === at.x && place.lane === at.lane) continue;
    const down = at.lane < 0 ? 4 : (place.lane - at.lane) * laneHeight;
    path += `m${String(place.x - at.x)} ${String(down)}z`;
    at = place;
  }
  return path;
}

/** A figure is no finer than this: cores × slices. More would not be seen, and cost its bytes. */
const mostSteps = 240;
const mostCores = 16;

export interface CoreChart {
  readonly picture: Html;
  /** Mean share of each core that is drawn, and its number. */
  readonly cores: readonly { readonly core: number; readonly mean: number }[];
  readonly hidden: number;
}

/** One row for each core, the busiest first when there are too many: filled up to the share that was busy. */
export function coreChart(busy: readonly (readonly number[])[], label: string): CoreChart {
  const all = busy.map((slices, core) => ({ core, slices, mean: mean(slices) }));
  const shown =
    all.length <= mostCores
      ? all
      : all
          .toSorted((a, b) => b.mean - a.mean)
          .slice(0, mostCores)
          .toSorted((a, b) => a.core - b.core);
  const columns = Math.max(8, Math.floor(mostSteps / Math.max(1, shown.length)));
  const height = shown.length * rowHeight;
  const rows = shown.map(({ core, slices, mean: share }, i) => {
    const base = (i + 1) * rowHeight - 2;
    return (
      `<path class="f" d="M${String(areaLeft)} ${String(base)}h${String(areaWidth)}"/><path class="a" d="${area(pooled(slices, columns), base)}"/>` +
      `<text x="0" y="${String(base - 3)}">core ${String(core)}</text>` +
      `<text class="e" x="270" y="${String(base - 3)}">${String(Math.round(share * 100))} %</text>`
    );
  });
  const picture = html`<svg class="k" viewBox="0 0 270 ${height}" role="img" aria-label="${label}">
    ${raw(rows.join(''))}
  </svg>`;
  return {
    picture,
    cores: shown.map(({ core, mean: share }) => ({ core, mean: share })),
    hidden: all.length - shown.length,
  };
}

const rowHeight = 20;
const areaLeft = 38;
const areaWidth = 196;
const areaHeight = 15;

/** A step line over the slices, closed at the base. Relative whole pixels keep it short. */
function area(slices: readonly number[], base: number): string {
  if (slices.length === 0) return '';
  let path = `M${String(areaLeft)} ${String(base)}`;
  let drawnLevel = 0;
  let drawnTo = 0;
  slices.forEach((share, i) => {
    const level = Math.round(Math.min(1, Math.max(0, share)) * areaHeight);
    const from = Math.round((i / slices.length) * areaWidth);
    if (level === drawnLevel) return;
    path += `${from === drawnTo ? '' : `h${String(from - drawnTo)}`}v${String(drawnLevel - level)}`;
    drawnLevel = level;
    drawnTo = from;
  });
  return `${path}H${String(areaLeft + areaWidth)}V${String(base)}z`;
}

/** Neighbouring slices averaged, so that no more than `most` remain. */
export function pooled(slices: readonly number[], most: number): readonly number[] {
  const size = Math.ceil(slices.length / most);
  if (size <= 1) return slices;
  const groups = Math.ceil(slices.length / size);
  return Array.from({ length: groups }, (_, i) => mean(slices.slice(i * size, (i + 1) * size)));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Roles that have a colour in the stylesheet; all others share the colour of `other`. */
const roleClasses: ReadonlySet<string> = new Set([
  'js-main',
  'js-worker',
  'gc',
  'jit',
  'compositor',
  'io',
]);

/** Class of a thread role. */
export function roleClass(role: string): string {
  return `r-${roleClasses.has(role) ? role : 'other'}`;
}

/** Stacked by role, in cores: the whole width is `cores`, so that bars of several targets can be compared. */
export function roleBar(
  roles: readonly { readonly role: string; readonly cores: number }[],
  { cores, label }: { readonly cores: number; readonly label: string },
): Html {
  let x = 0;
  const parts = roles.map(({ role, cores: width }) => {
    const from = x;
    x += (width / cores) * 270;
    const length = x - from;
    if (length < 0.5) return '';
    // A hair of background between neighbours tells them apart without colour.
    return `<path class="${roleClass(role)}" d="M${from.toFixed(1)} 0h${Math.max(0.5, length - 1).toFixed(1)}v16H${from.toFixed(1)}z"/>`;
  });
  const ticks = Array.from({ length: Math.min(Math.floor(cores), 64) }, (_, i) => {
    const at = ((i + 1) / cores) * 270;
    return `M${Math.min(at, 269.5).toFixed(1)} 0v20`;
  });
  return html`<svg class="k" viewBox="0 0 270 20" role="img" aria-label="${label}">
    <path class="f" d="M0 16h270${raw(ticks.join(''))}" />
    ${raw(parts.join(''))}
  </svg>`;
}
