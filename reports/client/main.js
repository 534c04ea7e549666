import { offerAxes } from './axes.js';
import { offerCopies, offerDevices } from './commands.js';
import { offerControls } from './controls.js';
import { offerDownloads, unpacked } from './download.js';
import { all } from './element.js';
import { offerZoom } from './zoom.js';

/** @import { Findings } from '../../harness/results/index.ts' */

/** All that the script of a report adds; the report is complete without it. */
function start() {
  offerCopies();
  offerAxes();
  offerDevices();
  offerZoom();
  openTarget();
  openForPrint();
  void offerData();
}

/** Adds what needs the embedded data. */
async function offerData() {
  const data = document.getElementById('findings');
  const place = document.getElementById('download');
  if (data === null || place === null) return;
  const json = await unpacked(data.textContent ?? '');
  /** @type {Findings} */
  const findings = JSON.parse(await json.text());
  offerDownloads(place, json, findings);
  if ((findings.rows ?? []).length > 0) offerControls(findings);
}

start();

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
