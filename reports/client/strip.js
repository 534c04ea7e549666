/** Positions of the trials of one cell in its figure, in whole pixels, for the page and its script. */

/**
 * Ends of a strip; several strips share one axis.
 * @typedef {{ readonly from: number; readonly to: number; readonly logarithmic: boolean }} Axis
 */

/** An axis narrower than this would show plain noise as if it were wide. */
const leastSpan = 1.1;

/**
 * The axis on which all values can be seen: logarithmic, since targets differ by factors, where all
 * are positive.
 * @param {readonly number[]} values
 * @returns {Axis | null}
 */
export function axisOver(values) {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return null;
  const least = finite.reduce((a, b) => Math.min(a, b));
  const most = finite.reduce((a, b) => Math.max(a, b));
  if (least <= 0) return { from: least, to: most > least ? most : least + 1, logarithmic: false };
  const widen = Math.sqrt(Math.max(1, leastSpan / (most / least)));
  return { from: least / widen, to: most * widen, logarithmic: true };
}

/** @param {Axis} axis @param {number} value */
function positionOn({ from, to, logarithmic }, value) {
  const share = logarithmic
    ? Math.log(value / from) / Math.log(to / from)
    : (value - from) / (to - from);
  return Math.min(1, Math.max(0, share));
}

const stripWidth = 240;
const margin = 4;

/** @param {Axis} axis @param {number} value */
function pixel(axis, value) {
  return Math.round(margin + positionOn(axis, value) * (stripWidth - 2 * margin));
}

/** Lanes keep equal values apart: the first trial is in the first, the fourth in the first again. */
const lanes = 3;
const laneHeight = 5;

/**
 * Values of a cell; `hollow` are those that do not count.
 * @typedef {object} Strip
 * @property {readonly number[]} values
 * @property {number} low
 * @property {number} high
 * @property {number} median
 * @property {readonly number[]} hollow
 */

/**
 * The paths of a strip, as `d` of each: its interval as a band, its median as a line, its trials as
 * dots in block order, and rings.
 * @param {Strip} strip
 * @param {Axis} axis
 */
export function pathsOf({ values, low, high, median, hollow }, axis) {
  const from = pixel(axis, low);
  const width = Math.max(1, pixel(axis, high) - from);
  return {
    band: `M${String(from)} 0h${String(width)}v18H${String(from)}z`,
    middle: `M${String(pixel(axis, median))} 0v18`,
    dots: dots(values, axis),
    rings: rings(hollow, axis),
  };
}

/**
 * As large as a dot. There are few of them, so that places need not be the shortest to write.
 * @param {readonly number[]} values @param {Axis} axis
 */
function rings(values, axis) {
  return values
    .map((value, i) => {
      const [x, y] = [pixel(axis, value) - 2, 4 + (i % lanes) * laneHeight];
      return `M${String(x)} ${String(y)}a2 2 0 1 0 4 0a2 2 0 1 0-4 0`;
    })
    .join('');
}

/**
 * Closed subpaths of no length, which round line ends make dots. Steps from dot to dot are the shortest
 * to write.
 * @param {readonly number[]} values @param {Axis} axis
 */
function dots(values, axis) {
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
