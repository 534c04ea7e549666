import { TrialFault } from './execution.js';
import { endOnce } from './host.js';
import { runAssigned } from './place.js';
import { openTrial } from './trial.js';

/**
 * Script that a runtime runs in place of a page: `node kit/runtime.js <URL>`, the same with Deno
 * and Bun. The URL is the one that a browser would open, and the trial takes the same steps. Only
 * the modules come from this folder instead of the server: Node.js and Bun cannot import over HTTP,
 * and a module on the disk may use the npm packages that are installed beside it.
 *
 * @import { TrialError } from '../protocol.d.ts'
 * @import { Notice } from './host.js'
 */

/** Like a page it stays until it is ended; but no longer than this, in case the farm is gone. */
const stayMs = 60_000;

/**
 * The part of `process` that is used, the same in all three.
 * @type {{
 *   argv: string[],
 *   stderr: { write: (text: string) => void },
 *   exit: (code: number) => never,
 *   on: (event: string, hear: (error: unknown) => void) => void,
 * }}
 */
const runtime = /** @type {any} */ (globalThis).process;

const href = runtime.argv[2] ?? '';
const client = openTrial(href);
if (client === null) throw new Error('The URL carries no trial: only the farm starts this script.');

/** @type {TrialError['phase']} */
let phase = 'load';

/** @param {Notice} notice */
function tell(notice) {
  if (notice.kind === 'phase') phase = notice.phase;
  if (notice.kind === 'failed') runtime.stderr.write(`${notice.error.message}\n`);
  if (notice.kind === 'completed' || notice.kind === 'failed') setTimeout(leave, stayMs);
}

function leave() {
  runtime.exit(0);
}

// An uncaught error would end the process before the farm received it. Bun reports
// rejected promises by the second event alone (1.4).
const { failed } = endOnce(client, tell);
const onStray = (/** @type {unknown} */ error) => void failed(new TrialFault(phase, error));
runtime.on('uncaughtException', onStray);
runtime.on('unhandledRejection', onStray);

await runAssigned({ client, href, benchmarkUrl: moduleOf(href) }, tell);

/**
 * The page /fib/index.html is the module ../fib/benchmark.js of this folder.
 * @param {string} page
 */
function moduleOf(page) {
  return new URL(`..${new URL('benchmark.js', page).pathname}`, import.meta.url).href;
}
