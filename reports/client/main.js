import { offerAxes } from './axes.js';
import { offerControls } from './controls.js';
import { offerCopies } from './copy.js';
import { offerDownloads, unpacked } from './download.js';
import { openForPrint } from './print.js';
import { offerDevices } from './repeat.js';

/** @import { Findings } from '../findings.ts' */

/** All that the script of a report adds; the report is complete without it. */
function start() {
  offerCopies();
  offerAxes();
  offerDevices();
  openForPrint();
  void offerData();
}

/** What needs the embedded data. */
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
