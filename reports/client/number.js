/** The digits of numbers, which the page and its script write alike. */

/** No-break: a number and its unit stay on one line. */
export const gap = '\u00a0';
export const missingMark = '—';

/** Keeps a number on one line with its percent sign, and with "≈" before it. @param {string} sentence */
export function unbroken(sentence) {
  return sentence.replaceAll(' %', `${gap}%`).replaceAll('≈ ', `≈${gap}`);
}

/** Decimal exponent of the first digit. @param {number} value */
function magnitude(value) {
  return Math.floor(Math.log10(Math.abs(value)) + 1e-12);
}

/**
 * Exponent of the last digit to show: three significant digits, up to five where the spread is so small
 * that three would hide it; digits before the decimal point stay; but none below the resolution.
 * @param {number} value
 * @param {{ readonly spread: number; readonly step: number }} limits
 */
export function lastPlace(value, { spread, step }) {
  const first = value === 0 ? 0 : magnitude(value);
  const bySpread = spread > 0 ? Math.max(magnitude(spread), first - 4) : first - 2;
  const wanted = Math.min(first - 2, bySpread, 0);
  const finest = step > 0 ? Math.ceil(Math.log10(step) - 1e-9) : -Infinity;
  return Math.max(wanted, finest, -12);
}

/**
 * Digits only, of value × factor rounded to a multiple of 10^place. A value that is not zero but would
 * round to it is shown as smaller than the last place.
 * @param {number} value
 * @param {{ readonly factor: number; readonly place: number }} scale
 */
export function digits(value, { factor, place }) {
  // Of a resolution without bounds no place is left.
  if (!Number.isFinite(value) || place === Infinity) return missingMark;
  const step = 10 ** Math.max(place, 0);
  const decimals = Math.max(0, -place);
  const shown = value * factor;
  const rounded = place > 0 ? Math.round(shown / step) * step : shown;
  const text = Math.abs(rounded).toFixed(decimals);
  if (Number(text) !== 0) return `${shown < 0 ? '−' : ''}${grouped(text)}`;
  if (value === 0) return '0';
  return `${value < 0 ? '>' + gap + '−' : '<' + gap}${(10 ** place).toFixed(decimals)}`;
}

/** With separators of thousands. @param {string} text */
export function grouped(text) {
  const [whole = '', fraction] = text.split('.');
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}

/**
 * A ratio and its interval to the same place: `1.010×` and `0.992–1.028×`, and to none below `step`,
 * which is what the resolutions of its two values leave of it.
 * @param {{ readonly ratio: number; readonly low: number; readonly high: number }} estimate
 * @param {number} step
 */
export function formatRatioEstimate({ ratio, low, high }, step) {
  // One digit more than the width has: `1.00–1.01×` would hide that the interval excludes 1.
  const scale = { factor: 1, place: lastPlace(ratio, { spread: (high - low) / 10, step }) };
  const [shown, ...ends] = [ratio, low, high].map((one) => digits(one, scale));
  // A ratio may be missing.
  const isNone = ends.every((end) => end === missingMark);
  return {
    ratio: shown === missingMark ? missingMark : `${shown}×`,
    interval: isNone ? missingMark : `${ends.join('–')}×`,
  };
}

/** @typedef {{ readonly centre: number; readonly resolution: number }} Resolved */

/** The step of the ratio of two values a/b that their resolutions leave, to first order. @param {Resolved} a @param {Resolved} b */
export function ratioStep(a, b) {
  const relative = a.resolution / Math.abs(a.centre) + b.resolution / Math.abs(b.centre);
  return Math.abs(a.centre / b.centre) * relative;
}
