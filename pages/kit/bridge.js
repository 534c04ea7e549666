import { TrialFault } from './execution.js';
import { endOnce } from './host.js';
import { readHost } from './host-facts.js';
import { openTrial } from './trial.js';

/**
 * The bridge between the farm and what speaks no HTTP. Node.js runs it as
 * `node kit/<bridge>.js <URL> <product> <path> <flags …>`. The URL is the one that a browser would
 * open, and the trial goes the same way.
 *
 * @import { Assignment, HostFacts, TrialError, TrialResult } from '../protocol.d.ts'
 * @import { Notice } from './host.js'
 * @import { TrialClient } from './trial.js'
 */

/** A page stays until it is closed, and so does this; but not for ever when the farm is gone. */
const stayMs = 60_000;

/**
 * @typedef {object} Crossing
 * @property {string} href the URL of the page
 * @property {() => Promise<Assignment>} fetchAssignment the probes look for processes when it is asked for
 * @property {TrialClient['mark']} mark
 * @property {(phase: TrialError['phase']) => void} onPhase
 */

/**
 * Makes one trial of `run`, and reports its end, or the first error of this process.
 * @param {(crossing: Crossing) => Promise<TrialResult>} run
 * @returns {Promise<void>} never rejects
 */
export async function makeTrial(run) {
  const href = process.argv[2] ?? '';
  const client = openTrial(href);
  if (client === null) {
    throw new Error('The URL carries no trial: only the farm starts this script.');
  }
  /** @type {TrialError['phase']} */
  let phase = 'load';
  const end = endOnce(client, stay);
  const onStray = (/** @type {unknown} */ error) => void end.failed(new TrialFault(phase, error));
  process.on('uncaughtException', onStray);
  process.on('unhandledRejection', onStray);
  try {
    const result = await run({
      href,
      fetchAssignment: client.fetchAssignment,
      mark: client.mark,
      onPhase(next) {
        phase = next;
      },
    });
    await end.completed(result);
  } catch (cause) {
    await end.failed(cause instanceof TrialFault ? cause : new TrialFault(phase, cause));
  }
}

/** @param {Notice} notice */
function stay(notice) {
  if (notice.kind === 'failed') process.stderr.write(`${notice.error.message}\n`);
  setTimeout(() => process.exit(0), stayMs);
}

/**
 * Facts that this process has of a silent product.
 * @param {string} product
 * @returns {HostFacts}
 */
export function hostOf(product) {
  const { userAgent, hardwareConcurrency } = readHost();
  return { userAgent: `${product}, started by ${userAgent}`, hardwareConcurrency };
}

/**
 * The page /thread-start/index.html has the module ../thread-start/program.js of this folder.
 * @param {string} page
 * @param {string} name
 */
export function moduleOf(page, name) {
  return new URL(`..${new URL(name, page).pathname}`, import.meta.url);
}
