import { TrialFault } from './execution.js';
import { refuseUnlessFresh } from './fresh-process.js';
import { endOnce, runTrial } from './host.js';
import { startThread } from './threads.js';
import { openTrial } from './trial.js';

/**
 * Place of a trial's operation: the thread that asks, or a worker, as the parameter `place` says.
 * The same for pages and runtimes.
 *
 * @import { Notice, TrialOrder } from './host.js'
 * @import { TrialClient } from './trial.js'
 */

/**
 * Fetches the assignment, runs it, and reports all errors.
 *
 * @param {{ client: TrialClient, href: string, benchmarkUrl: string }} trial
 * @param {(notice: Notice) => void} tell
 * @returns {Promise<void>} never rejects
 */
export async function runAssigned({ client, href, benchmarkUrl }, tell) {
  try {
    const assignment = await client.fetchAssignment();
    refuseUnlessFresh(assignment.parameters);
    await runInPlace({ href, benchmarkUrl, assignment }, tell);
  } catch (cause) {
    await endOnce(client, tell).failed(new TrialFault('load', cause));
  }
}

/**
 * Runs one trial in the place that its parameters name.
 * @param {TrialOrder} order
 * @param {(notice: Notice) => void} tell
 */
export async function runInPlace(order, tell) {
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
  // Only what the worker could not report itself comes here, such as a script that does not load.
  const { failed } = endOnce(openTrial(order.href), tell);
  const thread = startThread(new URL('worker.js', import.meta.url), {
    onMessage(notice) {
      if (notice.kind === 'phase') phase = notice.phase;
      tell(notice);
    },
    onFailure({ message }) {
      void failed(new TrialFault(phase, new Error(`The worker failed: ${message}`)));
    },
  });
  thread.post(order);
}
