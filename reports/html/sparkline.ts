/**
 * A course in a line of whole pixels, with a mark where it changed. Its numbers stand in words next
 * to it.
 */
import { html, raw, type Html } from './escape.ts';

const width = 240;
const height = 48;
const margin = 5;

/** @param marked index of the first value after the change; −1 for none. */
export function sparkline(values: readonly number[], marked: number, label: string): Html {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (i: number): number =>
    Math.round(margin + (i / Math.max(1, values.length - 1)) * (width - 2 * margin));
  const y = (value: number): number =>
    Math.round(height - margin - ((value - low) / (high - low || 1)) * (height - 2 * margin));
  const line = values.map((value, i) => `${String(x(i))} ${String(y(value))}`).join('L');
  const at = values[marked];
  const mark =
    at === undefined
      ? ''
      : `<circle cx="${String(x(marked))}" cy="${String(y(at))}" r="4"><title>the change</title></circle>`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <title>${label}</title>
    ${raw(`<path d="M${line}"/>${mark}`)}
  </svg>`;
}
