import { colourOf, isSecond, namePlace, showTime } from './try-page.js';

/**
 * Draws for the visitor's page: curves of milliseconds over n. All text is set as text.
 *
 * @import { Curve, Point } from './try-queue.js'
 */

const svgNamespace = 'http://www.w3.org/2000/svg';

const size = { width: 640, height: 360, left: 78, right: 12, top: 16, bottom: 36 };

/**
 * @param {readonly Curve[]} curves
 * @returns {SVGElement}
 */
export function drawCurves(curves) {
  const points = curves.flatMap((curve) => curve.points).filter(({ ms }) => ms > 0);
  const svg = makeSvg('svg', { viewBox: `0 0 ${String(size.width)} ${String(size.height)}` });
  svg.setAttribute('role', 'img');
  svg.setAttribute(
    'aria-label',
    `${String(curves.length)} curves, ${String(points.length)} values`,
  );
  if (points.length === 0) return svg;
  const logs = points.map(({ ms }) => Math.log10(ms));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const largest = Math.max(2, ...curves.map(largestOf));
  const x = scale([1, largest], [size.left, size.width - size.right]);
  const y = scale([low, Math.max(high, low + 1)], [size.height - size.bottom, size.top]);
  svg.append(...axes({ x, y, low, high: Math.max(high, low + 1), largest }));
  svg.append(...curves.map((curve, index) => drawCurve(curve, { index, x, y })));
  return svg;
}

/** The last n of a curve, to which it may still grow. @param {Curve} curve */
function largestOf({ state, ns, points }) {
  const isGrowing = state === 'queued' || state === 'running';
  return (isGrowing ? ns.at(-1) : points.at(-1)?.n) ?? 0;
}

/**
 * @param {Curve} curve
 * @param {{ index: number, x: (n: number) => number, y: (log: number) => number }} place
 */
function drawCurve(curve, { index, x, y }) {
  const places = curve.points
    .filter(({ ms }) => ms > 0)
    .map((point) => ({ point, cx: x(point.n).toFixed(1), cy: y(Math.log10(point.ms)).toFixed(1) }));
  const line = makeSvg('polyline', {
    points: places.map(({ cx, cy }) => `${cx},${cy}`).join(' '),
    fill: 'none',
    stroke: 'currentColor',
    'stroke-width': '2',
    // Another curve has the same colour.
    ...(isSecond(index) && { 'stroke-dasharray': '6 4' }),
  });
  const dots = places.map(({ point, cx, cy }) => {
    const dot = makeSvg('circle', { cx, cy, r: '3', fill: 'currentColor' });
    dot.append(titleOf(curve, point));
    return dot;
  });
  const group = makeSvg('g', { class: colourOf(index) });
  group.append(line, ...dots);
  return group;
}

/**
 * @param {Curve} curve
 * @param {Point} point
 */
function titleOf(curve, { n, ms }) {
  const title = makeSvg('title', {});
  title.textContent = `${curve.name}(${String(n)}), ${namePlace(curve)}: ${showTime(ms)}`;
  return title;
}

/**
 * @param {readonly [number, number]} from
 * @param {readonly [number, number]} to
 */
function scale([from, until], [first, last]) {
  return (/** @type {number} */ value) =>
    first + ((value - from) / (until - from)) * (last - first);
}

/**
 * @param {{ x: (n: number) => number, y: (log: number) => number, low: number, high: number, largest: number }} facts
 */
function axes({ x, y, low, high, largest }) {
  const powers = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  const step = Math.max(1, Math.ceil(largest / 12));
  const ns = Array.from({ length: largest }, (_, i) => i + 1).filter((n) => n % step === 0);
  const bottom = size.height - size.bottom;
  return [
    ...powers.flatMap((power) => [
      makeSvg('line', {
        class: 'axis',
        x1: String(size.left),
        x2: String(size.width - size.right),
        y1: y(power).toFixed(1),
        y2: y(power).toFixed(1),
      }),
      label(showTime(10 ** power), {
        x: size.left - 6,
        y: y(power) + 4,
        end: true,
      }),
    ]),
    ...ns.map((n) => label(String(n), { x: x(n), y: bottom + 26, end: false })),
    label('n =', { x: size.left - 12, y: bottom + 26, end: true }),
  ];
}

/**
 * @param {string} text
 * @param {{ x: number, y: number, end: boolean }} place
 */
function label(text, { x, y, end }) {
  const made = makeSvg('text', { x: x.toFixed(1), y: y.toFixed(1) });
  made.setAttribute('text-anchor', end ? 'end' : 'middle');
  made.textContent = text;
  return made;
}

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string>>} attributes
 */
export function makeSvg(tag, attributes) {
  const made = /** @type {SVGElement} */ (document.createElementNS(svgNamespace, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
