/** A course in a line of whole pixels; its numbers stand in the table beside it. */

const width = 240;
const height = 48;
const margin = 4;

/**
 * @param {readonly number[]} values the oldest first
 * @param {number} marked index of the first after the change; −1 for none
 */
export function sparkline(values, marked) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (/** @type {number} */ i) =>
    Math.round(margin + (i / Math.max(1, values.length - 1)) * (width - 2 * margin));
  const y = (/** @type {number} */ value) =>
    Math.round(height - margin - ((value - low) / (high - low || 1)) * (height - 2 * margin));
  const svg = shape('svg', {
    class: 'spark',
    viewBox: `0 0 ${String(width)} ${String(height)}`,
    'aria-hidden': 'true',
  });
  svg.append(
    shape('polyline', {
      points: values.map((value, i) => `${String(x(i))},${String(y(value))}`).join(' '),
    }),
  );
  const at = values[marked];
  if (at !== undefined) {
    const place = { cx: String(x(marked)), cy: String(y(at)), r: '3.5' };
    svg.append(shape('circle', place));
  }
  return svg;
}

/** @param {string} name @param {Record<string, string>} attributes */
function shape(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
