/**
 * The trials of one cell in whole numbers of pixels, one path for all: a report may hold thousands of
 * these figures, so every byte counts. Colours come from the stylesheet by class.
 */
import { raw, type Html } from './escape.ts';

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

export interface Strip {
  readonly values: readonly number[];
  readonly low: number;
  readonly high: number;
  readonly median: number;
  /** Values that do not count: hollow dots. */
  readonly hollow: readonly number[];
}

/**
 * Every trial as a dot in block order, its interval as a band, its median as a line; the stylesheet
 * tells the first three paths apart by their places, which takes fewer bytes than names. The width and
 * height are the stylesheet's, pixel for pixel, so there is no viewBox.
 */
export function trialStrip(
  cell: Strip,
  { axis, colour }: { readonly axis: Axis; readonly colour: number },
): Html {
  const low = pixel(axis, cell.low);
  const band = `M${String(low)} 0h${String(Math.max(1, pixel(axis, cell.high) - low))}v18H${String(low)}z`;
  const median = String(pixel(axis, cell.median));
  // The row already says everything in words: for a screen reader the picture is only noise.
  return raw(
    `<svg class="s c${String(colour)}" aria-hidden="true"><path d="${band}"/>` +
      `<path d="M${median} 0v18"/><path d="${dots(cell.values, axis)}"/>` +
      `${cell.hollow.length === 0 ? '' : `<path class="q" d="${rings(cell.hollow, axis)}"/>`}</svg>`,
  );
}

/** As large as a dot. There are few of them, so that places need not be the shortest to write. */
function rings(values: readonly number[], axis: Axis): string {
  return values
    .map((value, i) => {
      const [x, y] = [pixel(axis, value) - 2, 4 + (i % lanes) * laneHeight];
      return `M${String(x)} ${String(y)}a2 2 0 1 0 4 0a2 2 0 1 0-4 0`;
    })
    .join('');
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
