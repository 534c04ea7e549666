import { TrialFault } from './execution.js';
import { endOnce, pause, runTrial } from './host.js';
import { chooseParameters } from './parameters.js';
import { openTrial } from './trial.js';
import { openView } from './view.js';

/**
 * The script of every benchmark's page. With a token it does what the farm assigns; without one it
 * runs with the defaults of `benchmark.json`, or the query string's values, and shows the result.
 *
 * @import { MeasurementRules } from '../protocol.d.ts'
 * @import { Notice, TrialOrder } from './host.js'
 */

/** @type {MeasurementRules} For a person who waits in front of the screen. */
const byHand = {
  iterations: 20,
  maxTimedMs: 5000,
  minIterations: 3,
  minGranules: 100,
  warmUp: { minIterations: 10, maxIterations: 200, maxMs: 2000 },
};

const benchmarkUrl = new URL('benchmark.js', document.baseURI).href;

const trial = openTrial(location.href);
await pageLoaded();
await (trial ? runForFarm(trial) : runByHand());

/** @param {import('./trial.js').TrialClient} client */
async function runForFarm(client) {
  const view = openView();
  view.say('Measuring for the farm.');
  try {
    const assignment = await client.fetchAssignment();
    await run({ href: location.href, benchmarkUrl, assignment }, (notice) => {
      // Until the trial has ended the page changes nothing: a repaint would run beside the measured code.
      if (notice.kind === 'failed') view.showError(notice.error);
      if (notice.kind === 'completed') view.say('Done: the farm has the result.');
    });
  } catch (cause) {
    const fault = new TrialFault('load', cause);
    await endOnce(client, (notice) => {
      if (notice.kind === 'failed') view.showError(notice.error);
    }).failed(fault);
  }
}

async function runByHand() {
  const view = openView();
  try {
    const declared = await fetchDeclaration();
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
    await run({ href: location.href, benchmarkUrl, assignment }, (notice) => {
      if (notice.kind === 'phase') view.showPhase(notice.phase);
      if (notice.kind === 'failed') view.showError(notice.error);
      if (notice.kind === 'completed') view.showResult(notice.result);
    });
  } catch (cause) {
    view.showError(new TrialFault('load', cause));
  }
}

/**
 * @param {TrialOrder} order
 * @param {(notice: Notice) => void} tell
 */
async function run(order, tell) {
  if (order.assignment.parameters['place'] === 'worker') return runInWorker(order, tell);
  return runTrial(order, tell);
}

/**
 * @param {TrialOrder} order
 * @param {(notice: Notice) => void} tell
 */
function runInWorker(order, tell) {
  /** @type {TrialFault['phase']} */
  let phase = 'load';
  const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data: notice }) => {
    if (notice.kind === 'phase') phase = notice.phase;
    tell(notice);
  });
  // Only what the worker could not report itself comes here, such as a script that does not load.
  const { failed } = endOnce(openTrial(order.href), tell);
  const giveUp = (/** @type {Event} */ event) => {
    const message = 'message' in event ? String(event.message) : 'its script could not be loaded';
    void failed(new TrialFault(phase, new Error(`The worker failed: ${message}`)));
  };
  worker.addEventListener('error', giveUp);
  worker.addEventListener('messageerror', giveUp);
  worker.postMessage(order);
}

/** @returns {Promise<{ id: string, parameters: import('./parameters.js').Parameter[] }>} */
async function fetchDeclaration() {
  const response = await fetch(new URL('benchmark.json', document.baseURI), { cache: 'no-store' });
  if (!response.ok) throw new Error(`benchmark.json cannot be read: ${String(response.status)}.`);
  return response.json();
}

/** A page that still loads competes with what it measures. */
async function pageLoaded() {
  while (document.readyState !== 'complete') await pause(5);
}
