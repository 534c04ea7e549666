import { pause } from './clock.js';
import { execute, TrialFault } from './execution.js';
import { openTrial } from './trial.js';

/**
 * @import { Assignment, TrialError, TrialResult } from '../protocol.d.ts'
 * @import { Phase } from './execution.js'
 */

/**
 * Message of a trial to the page that shows it.
 * @typedef {{ kind: 'phase', phase: Phase }
 *   | { kind: 'completed', result: TrialResult }
 *   | { kind: 'failed', error: TrialError }} Notice
 */

/**
 * Order for one trial; it survives `postMessage`.
 * @typedef {object} TrialOrder
 * @property {string} href the URL of the page, which carries the token if there is one; a runtime is given it as well
 * @property {string} benchmarkUrl
 * @property {Assignment} assignment
 */

/** By hand there are no probes to wait for; the pause lets the browser paint the phase. */
const paintMs = 50;

/**
 * Runs one trial on the thread that calls it, and reports its end to the farm (when the URL has a
 * token) and to `tell`. Uncaught errors end the trial, too: a page never sees a promise that
 * is rejected in a worker.
 *
 * @param {TrialOrder} order
 * @param {(notice: Notice) => void} tell
 * @returns {Promise<void>} never rejects
 */
export async function runTrial({ href, benchmarkUrl, assignment }, tell) {
  const trial = openTrial(href);
  const end = endOnce(trial, tell);
  /** @type {Phase} */
  let phase = 'load';
  const onStray = (/** @type {ErrorEvent | PromiseRejectionEvent} */ event) => {
    event.preventDefault(); // Or a worker's error would reach the page, too, and be reported twice.
    const cause = 'reason' in event ? event.reason : (event.error ?? event.message);
    void end.failed(new TrialFault(phase, cause));
  };
  // Node.js has no such events on its global object; there `runtime.js` and `place.js` listen.
  globalThis.addEventListener?.('error', onStray);
  globalThis.addEventListener?.('unhandledrejection', onStray);
  try {
    const result = await execute({
      benchmarkUrl,
      assignment,
      mark: trial?.mark ?? (() => pause(paintMs)),
      onPhase(next) {
        phase = next;
        tell({ kind: 'phase', phase });
      },
    });
    await end.completed(result);
  } catch (fault) {
    await end.failed(fault instanceof TrialFault ? fault : new TrialFault('finish', fault));
  }
}

/**
 * Ends a trial once: an error after its end is a consequence, not another outcome.
 *
 * @param {ReturnType<typeof openTrial>} trial
 * @param {(notice: Notice) => void} tell
 */
export function endOnce(trial, tell) {
  let ended = false;
  return {
    /** @param {TrialResult} result */
    async completed(result) {
      if (ended) return;
      await trial?.finish(result);
      ended = true;
      tell({ kind: 'completed', result });
    },
    /** @param {TrialFault} fault */
    async failed({ phase, message }) {
      if (ended) return;
      ended = true;
      try {
        await trial?.fail({ phase, message });
        tell({ kind: 'failed', error: { phase, message } });
      } catch (unheard) {
        const also = `${message} (and the farm could not be told: ${String(unheard)})`;
        tell({ kind: 'failed', error: { phase, message: also } });
      }
    },
  };
}
