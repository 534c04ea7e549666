import { TrialFault } from './execution.js';
import { pause } from './clock.js';
import { chooseParameters } from './parameters.js';
import { runAssigned, runInPlace } from './place.js';
import { openTrial } from './trial.js';
import { openView } from './view.js';

/**
 * The script of every benchmark's page. With a token it does what the farm assigns; without one it
 * runs with the defaults of `benchmark.json`, or the query string's values, and shows the result.
 *
 * @import { MeasurementRules } from '../protocol.d.ts'
 */

/** @type {MeasurementRules} For a person who waits in front of the screen. */
const byHand = {
  minGranules: 100,
  settled: { ms: 400, calls: 120 },
  window: { ms: 400, iterations: 3 },
  maxMs: 5000,
};

const benchmarkUrl = new URL('benchmark.js', document.baseURI).href;

const trial = openTrial(location.href);
await pageLoaded();
await (trial ? runForFarm(trial) : runByHand());

/** @param {import('./trial.js').TrialClient} client */
async function runForFarm(client) {
  const view = openView();
  view.say('Measuring for the farm.');
  await runAssigned({ client, href: location.href, benchmarkUrl }, (notice) => {
    // The page changes nothing until the trial has ended: a repaint would run next to the measured code.
    if (notice.kind === 'failed') view.showError(notice.error);
    if (notice.kind === 'completed') view.say('Done: the farm has the result.');
  });
}

async function runByHand() {
  const view = openView();
  try {
    const declared = await fetchDeclaration();
    if (declared === null) {
      view.say('Nothing is measured by hand here: the farm opens this page by itself.');
      return;
    }
    const query = new URLSearchParams(location.search);
    view.showForm(declared.parameters, query);
    const parameters = chooseParameters(declared.parameters, query);
    const assignment = /** @type {const} */ ({
      protocol: 1,
      benchmark: declared.id,
      parameters,
      measurement: byHand,
    });
    view.showCase(parameters);
    await runInPlace({ href: location.href, benchmarkUrl, assignment }, (notice) => {
      if (notice.kind === 'phase') view.showPhase(notice.phase);
      if (notice.kind === 'failed') view.showError(notice.error);
      if (notice.kind === 'completed') view.showResult(notice.result);
    });
  } catch (cause) {
    view.showError(new TrialFault('load', cause));
  }
}

/** @returns {Promise<{ id: string, parameters: import('./parameters.js').Parameter[] } | null>} null: it has none */
async function fetchDeclaration() {
  const response = await fetch(new URL('benchmark.json', document.baseURI), { cache: 'no-store' });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`benchmark.json cannot be read: ${String(response.status)}.`);
  return response.json();
}

/** A page that still loads competes with what it measures. */
async function pageLoaded() {
  while (document.readyState !== 'complete') await pause(5);
}
