/**
 * Parts of the visitor's page that several of its scripts need. All text is set as text.
 *
 * @import { Curve } from './try-queue.js'
 */

/** Colours that the stylesheet has. */
const colours = 6;

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no "${id}".`);
  return found;
}

/**
 * @param {string} tag
 * @param {(Node | string)[]} children
 */
export function element(tag, ...children) {
  const made = document.createElement(tag);
  made.append(...children);
  return made;
}

/** @param {number} index of the curve */
export function colourOf(index) {
  return `c${String(index % colours)}`;
}

/** The sign of a curve in a list: the second that has its colour is hollow. @param {number} index */
export function markCurve(index) {
  const mark = element('span', isSecond(index) ? '○ ' : '● ');
  mark.className = colourOf(index);
  return mark;
}

/** True if another curve has its colour. @param {number} index */
export function isSecond(index) {
  return index % (2 * colours) >= colours;
}

/** @param {Pick<Curve, 'place'>} curve */
export function namePlace({ place }) {
  return place === 'main' ? 'main thread' : 'worker';
}

/** @type {readonly (readonly [unit: string, ms: number])[]} */
const units = [
  ['s', 1000],
  ['ms', 1],
  ['µs', 1e-3],
  ['ns', 1e-6],
];

/** A time with three digits, in its unit. @param {number} ms */
export function showTime(ms) {
  // Rounding of a power of ten must not lead to the smaller unit.
  const [unit, size] = units.find((one) => ms >= one[1] * 0.9995) ?? ['ns', 1e-6];
  return `${String(Number((ms / size).toPrecision(3)))} ${unit}`;
}
