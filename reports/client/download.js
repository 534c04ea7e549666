import { make } from './element.js';

/** @import { Cell, Findings } from '../../harness/core/results/index.ts' */
/** @import { Embedded } from './main.js' */

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

/** Links to the data as JSON, and to every trial as CSV where there are any. @param {() => Promise<Embedded>} embedded */
export async function offerDownloads(embedded) {
  const place = document.getElementById('download');
  if (place === null) return;
  const { json, findings } = await embedded();
  const file = place.dataset['file'] ?? '';
  place.replaceChildren(link('Download the data as JSON', json, file));
  // The data of other reports have no rows.
  if ((findings.rows ?? []).length === 0) return;
  const csv = new Blob([everyTrial(findings)], { type: 'text/csv' });
  place.append(' · ', link('every trial as CSV', csv, file.replace(/json$/, 'csv')));
}
