import { make } from './element.js';

/** @import { Cell, Findings } from '../../harness/results/index.ts' */

/** The embedded data as they were before they were compressed. @param {string} text */
export async function unpacked(text) {
  const { encoding, data } = JSON.parse(text);
  if (encoding !== 'gzip+base64') return new Blob([text], { type: 'application/json' });
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Blob([await new Response(stream).blob()], { type: 'application/json' });
}

/** @param {string} text @param {Blob} blob @param {string} name */
function link(text, blob, name) {
  return make('a', { href: URL.createObjectURL(blob), download: name }, text);
}

/** A spreadsheet runs a text that begins like a formula, so such a text gets an apostrophe in front. @param {string | number} value */
function field(value) {
  if (typeof value === 'number') return String(value);
  const harmless = /^[=+@\t\r-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** @param {Cell} cell @returns {[value: number, quarantined: string][]} */
function trialsOf(cell) {
  if (cell.kind !== 'measured') return [];
  const { values, quarantined = [], fromQuarantined = false } = cell;
  /** @type {(isAside: string) => (value: number) => [number, string]} */
  const line = (isAside) => (value) => [value, isAside];
  return [...(fromQuarantined ? [] : values.map(line('no'))), ...quarantined.map(line('yes'))];
}

/** @param {Findings} findings */
function everyTrial({ rows }) {
  const head = ['case', 'metric', 'unit', 'direction', 'target', 'trial', 'value', 'quarantined'];
  const lines = rows.flatMap(({ caseName, metric, unit, direction, cells }) =>
    cells.flatMap((cell) =>
      trialsOf(cell).map((trial, i) => [
        ...[caseName, metric, unit, direction, cell.targetId],
        ...[i + 1, ...trial],
      ]),
    ),
  );
  return [head, ...lines].map((line) => `${line.map(field).join(',')}\n`).join('');
}

/**
 * Links to the data as JSON, and to every trial as CSV where there are any.
 * @param {HTMLElement} place
 * @param {Blob} json
 * @param {Findings} findings
 */
export function offerDownloads(place, json, findings) {
  const file = place.dataset['file'] ?? '';
  place.replaceChildren(link('Download the data as JSON', json, file));
  // The data of other reports have no rows.
  if ((findings.rows ?? []).length === 0) return;
  const csv = new Blob([everyTrial(findings)], { type: 'text/csv' });
  place.append(' · ', link('every trial as CSV', csv, file.replace(/json$/, 'csv')));
}
