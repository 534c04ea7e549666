/**
 * Draws for the visitor's page: curves of milliseconds over n, and a bar for each core. All text is
 * set as text.
 *
 * @typedef {{ n: number, ms: number }} Point
 * @typedef {{ label: string, points: readonly Point[] }} Curve
 */

const svgNamespace = 'http://www.w3.org/2000/svg';

const size = { width: 640, height: 360, left: 60, right: 12, top: 12, bottom: 34 };

/** Colours that the stylesheet has. */
const colours = 6;

/** @param {number} index */
export function colourOf(index) {
  return `c${String(index % colours)}`;
}

/**
 * @param {readonly Curve[]} curves
 * @returns {SVGElement}
 */
export function drawCurves(curves) {
  const points = curves.flatMap((curve) => curve.points).filter(({ ms }) => ms > 0);
  const svg = make('svg', { viewBox: `0 0 ${String(size.width)} ${String(size.height)}` });
  svg.setAttribute('role', 'img');
  svg.setAttribute(
    'aria-label',
    `${String(curves.length)} curves, ${String(points.length)} values`,
  );
  if (points.length === 0) return svg;
  const logs = points.map(({ ms }) => Math.log10(ms));
  const [low, high] = [Math.floor(Math.min(...logs)), Math.ceil(Math.max(...logs))];
  const largest = Math.max(2, ...points.map(({ n }) => n));
  const x = scale([1, largest], [size.left, size.width - size.right]);
  const y = scale([low, Math.max(high, low + 1)], [size.height - size.bottom, size.top]);
  svg.append(...axes({ x, y, low, high: Math.max(high, low + 1), largest }));
  curves.forEach((curve, index) => {
    const places = curve.points
      .filter(({ ms }) => ms > 0)
      .map(({ n, ms }) => `${x(n).toFixed(1)},${y(Math.log10(ms)).toFixed(1)}`);
    const line = make('polyline', {
      points: places.join(' '),
      fill: 'none',
      stroke: 'currentColor',
    });
    line.setAttribute('stroke-width', '2');
    const group = make('g', { class: colourOf(index) });
    group.append(line, ...places.map(dotAt));
    svg.append(group);
  });
  return svg;
}

/** @param {string} place */
function dotAt(place) {
  const [cx = '0', cy = '0'] = place.split(',');
  return make('circle', { cx, cy, r: '3', fill: 'currentColor' });
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
      make('line', {
        class: 'axis',
        x1: String(size.left),
        x2: String(size.width - size.right),
        y1: y(power).toFixed(1),
        y2: y(power).toFixed(1),
      }),
      label(power < -3 ? `1e${String(power)}` : String(10 ** power), {
        x: size.left - 6,
        y: y(power) + 4,
        end: true,
      }),
    ]),
    ...ns.map((n) => label(String(n), { x: x(n), y: bottom + 18, end: false })),
    label('n', { x: size.left, y: bottom + 18, end: false }),
  ];
}

/**
 * @param {string} text
 * @param {{ x: number, y: number, end: boolean }} place
 */
function label(text, { x, y, end }) {
  const made = make('text', { x: x.toFixed(1), y: y.toFixed(1) });
  made.setAttribute('text-anchor', end ? 'end' : 'middle');
  made.textContent = text;
  return made;
}

/**
 * @param {string} tag
 * @param {Readonly<Record<string, string>>} attributes
 */
function make(tag, attributes) {
  const made = /** @type {SVGElement} */ (document.createElementNS(svgNamespace, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/**
 * A bar for each core, and their sum.
 * @param {readonly number[]} shares busy shares, 0 to 1
 * @returns {HTMLElement[]}
 */
export function drawCores(shares) {
  const sum = shares.reduce((total, share) => total + share, 0);
  const whole = document.createElement('p');
  whole.textContent = `${sum.toFixed(2)} of ${String(shares.length)} cores busy`;
  const bars = shares.map((share, core) => {
    const row = document.createElement('div');
    row.className = 'core';
    const meter = document.createElement('meter');
    meter.max = 1;
    meter.value = share;
    meter.setAttribute('aria-label', `core ${String(core)}`);
    row.append(`core ${String(core)}`, meter, `${(100 * share).toFixed(0)} %`);
    return row;
  });
  return [whole, ...bars];
}
