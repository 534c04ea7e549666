import { controls } from './controls.ts';
import { repeat } from './repeat.ts';
import { shift } from './shift.ts';
import { axes } from './two-axes.ts';

/**
 * The only script of a report, in plain JavaScript for the reader's browser. The report is complete
 * without it: it adds copy buttons, the downloads, choices for the comparison table and the axes of charts, and opens what
 * is folded away for print.
 */
const source = `
(() => {
  'use strict';
  const make = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  for (const code of document.querySelectorAll('[data-copy]')) {
    const button = make('button', 'Copy');
    button.type = 'button';
    button.setAttribute('aria-label', 'Copy the command');
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = 'Selected: press Ctrl+C';
      }
    });
    code.parentElement.after(button);
  }
  const data = document.getElementById('findings');
  const place = document.getElementById('download');
  const unpacked = async () => {
    const { encoding, data: packed } = JSON.parse(data.textContent);
    if (encoding !== 'gzip+base64') return new Blob([data.textContent], { type: 'application/json' });
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Blob([await new Response(stream).blob()], { type: 'application/json' });
  };
  const link = (text, blob, name) =>
    Object.assign(make('a', text), { href: URL.createObjectURL(blob), download: name });
  // A spreadsheet runs a text that begins like a formula, so such a text gets an apostrophe in front.
  const field = (value) => {
    if (typeof value === 'number') return String(value);
    const harmless = /^[=+@\\t\\r-]/.test(value) ? "'" + value : value;
    return /[",\\r\\n]/.test(harmless) ? '"' + harmless.replaceAll('"', '""') + '"' : harmless;
  };
  const trialsOf = ({ values = [], quarantined = [], fromQuarantined = false }) => [
    ...(fromQuarantined ? [] : values.map((value) => [value, 'no'])),
    ...quarantined.map((value) => [value, 'yes']),
  ];
  const everyTrial = ({ rows }) => [
    ['case', 'metric', 'unit', 'direction', 'target', 'trial', 'value', 'quarantined'],
    ...rows.flatMap(({ caseName, metric, unit, direction, cells }) => cells.flatMap((cell) =>
      trialsOf(cell).map((trial, i) => [caseName, metric, unit, direction, cell.targetId, i + 1, ...trial]))),
  ].map((line) => line.map(field).join(',') + '\\n').join('');
${axes}${shift}${controls}${repeat}
  if (data && place) unpacked().then(async (blob) => {
    const links = [link('Download the data as JSON', blob, place.dataset.file)];
    const findings = JSON.parse(await blob.text());
    if (findings.rows?.length > 0) {
      const csv = new Blob([everyTrial(findings)], { type: 'text/csv' });
      links.push(' · ', link('every trial as CSV', csv, place.dataset.file.replace(/json$/, 'csv')));
      offer(findings);
    }
    place.replaceChildren(...links);
  });
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true;
      details.dataset.closed = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const details of document.querySelectorAll('details[data-closed]')) {
      details.open = false;
      delete details.dataset.closed;
    }
  });
})();
`;

/** Without indentation: it stands in every report. No text in it goes over a line end. */
export const script = source.replace(/\n\s+/g, '\n');
