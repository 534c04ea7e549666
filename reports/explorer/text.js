import { printable } from '../client/printable.js';

const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, useGrouping: true });

/** Units of time, and how many of each a millisecond has. @type {readonly [string, number][]} */
const times = [
  ['s', 1e-3],
  ['ms', 1],
  ['µs', 1e3],
  ['ns', 1e6],
];

/**
 * A number with its unit, in four digits, and a time in the unit that leaves it at 1 or above, as in
 * reports; a missing one is a dash.
 * @param {number | null} value
 * @param {string} unit
 */
export function withUnit(value, unit) {
  if (value === null) return '—';
  const [shown, factor] =
    (unit === 'ms' && value !== 0 && times.find(([, per]) => Math.abs(value) * per >= 1)) || [];
  if (shown === undefined || factor === undefined) {
    return `${digits.format(value)}\u00a0${printable(unit)}`;
  }
  return `${digits.format(value * factor)}\u00a0${shown}`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** The day and the minute, in UTC like everything that the farm stores. @param {string} iso */
export function dayAndTime(iso) {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)}`;
}

/** About how long, as it helps to wait: `45 s`, `4 min`, `1 h 5 min`. @param {number} ms */
export function duration(ms) {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
