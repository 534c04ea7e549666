import { offerAxes } from './figures.js';
import { offerCopies } from './commands.js';
import { all } from './element.js';

/** @import { Findings } from '../../harness/core/results/index.ts' */

/**
 * The embedded data: as a file, and as what a report of runs has in it.
 * @typedef {{ readonly json: Blob, readonly findings: Findings }} Embedded
 */

/**
 * Starts the script of a report; the report is complete without it.
 * @param {((embedded: () => Promise<Embedded>) => unknown)[]} parts what its sections add
 */
export function startReport(parts) {
  offerCopies();
  offerAxes();
  openTarget();
  openForPrint();
  /** @type {Promise<Embedded> | undefined} */
  let read;
  const embedded = () => (read ??= readData());
  for (const part of parts) void part(embedded);
}

/** @returns {Promise<Embedded>} */
async function readData() {
  const json = await unpacked(document.getElementById('findings')?.textContent ?? '');
  return { json, findings: JSON.parse(await json.text()) };
}

/** The embedded data as they were before they were compressed. @param {string} text */
async function unpacked(text) {
  const { encoding, data } = JSON.parse(text);
  if (encoding !== 'gzip+base64') return new Blob([text], { type: 'application/json' });
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Blob([await new Response(stream).blob()], { type: 'application/json' });
}

/** Opens the sections around what a link leads to: not every browser does. */
function openTarget() {
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let at = target?.closest('details'); at; at = at.parentElement?.closest('details')) {
      at.open = true;
    }
    target?.scrollIntoView();
  };
  addEventListener('hashchange', open);
  if (location.hash !== '') open();
}

/** Opens folded sections for print, and folds them again. */
function openForPrint() {
  addEventListener('beforeprint', () => {
    for (const details of all('details:not([open])', HTMLDetailsElement)) {
      details.open = true;
      details.dataset['closed'] = '';
    }
  });
  addEventListener('afterprint', () => {
    for (const details of all('details[data-closed]', HTMLDetailsElement)) {
      details.open = false;
      delete details.dataset['closed'];
    }
  });
}
