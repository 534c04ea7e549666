import { execute, TrialFault } from './execution.js';
import { endOnce } from './host.js';
import { readHost } from './host-facts.js';
import { startedProgram } from './started-program.js';
import { openTrial } from './trial.js';

/**
 * The bridge between the farm and a program that speaks no HTTP: Node.js runs it as
 * `node kit/program.js <URL> <product> <path> <flags …>`. The URL is the one that a browser would
 * open, and the trial goes the same way; the module is the benchmark's `program.js`, which starts
 * the program as a child of this process inside the timed window.
 *
 * @import { TrialError } from '../protocol.d.ts'
 * @import { Notice } from './host.js'
 */

/** A page stays until it is closed, and so does this; but not for ever when the farm is gone. */
const stayMs = 60_000;

const href = process.argv[2] ?? '';
const client = openTrial(href);
if (client === null) throw new Error('The URL carries no trial: only the farm starts this script.');

/** @type {TrialError['phase']} */
let phase = 'load';

/** @param {Notice} notice */
function tell(notice) {
  if (notice.kind === 'failed') process.stderr.write(`${notice.error.message}\n`);
  setTimeout(() => process.exit(0), stayMs);
}

const end = endOnce(client, tell);
const onStray = (/** @type {unknown} */ error) => void end.failed(new TrialFault(phase, error));
process.on('uncaughtException', onStray);
process.on('unhandledRejection', onStray);

try {
  const assignment = await client.fetchAssignment();
  const result = await execute({
    benchmarkUrl: moduleOf(href),
    assignment,
    mark: client.mark,
    onPhase(next) {
      phase = next;
    },
  });
  await end.completed({ ...result, host: hostOf(startedProgram().product) });
} catch (cause) {
  await end.failed(cause instanceof TrialFault ? cause : new TrialFault('load', cause));
}

/**
 * The clock of the trial is this process's, what the program measures is measured by its own.
 * @param {string} product
 */
function hostOf(product) {
  const { userAgent, hardwareConcurrency } = readHost();
  return { userAgent: `${product}, started by ${userAgent}`, hardwareConcurrency };
}

/**
 * The page /thread-start/index.html is the module ../thread-start/program.js of this folder.
 * @param {string} page
 */
function moduleOf(page) {
  return new URL(`..${new URL('program.js', page).pathname}`, import.meta.url).href;
}
