import { deadlineSignal } from './deadline.js';

/** @import { Assignment, TrialError, TrialResult, WindowMark } from '../protocol.d.ts' */

/**
 * The page's end of the trial protocol (`protocol.d.ts`). It needs `fetch` and nothing else, so it
 * works in a window, a worker and a runtime.
 *
 * @typedef {object} TrialClient
 * @property {() => Promise<Assignment>} fetchAssignment Once; a second time is refused.
 * @property {(mark: WindowMark['mark']) => Promise<void>} mark
 * @property {(result: TrialResult) => Promise<void>} finish Ends the trial.
 * @property {(error: TrialError) => Promise<void>} fail Ends the trial.
 */

/** No answer takes longer than this, or the farm is gone. */
const patience = { assignmentMs: 10_000, markMs: 10_000, endMs: 30_000 };

const longestMessage = 2000;

/**
 * @param {string} href the page's own URL, with `?trial=<token>`
 * @param {string} [base] what stands before the paths of the protocol
 * @returns {TrialClient | null} null without a token: the page was opened by hand
 */
export function openTrial(href, base = '/') {
  const token = new URL(href).searchParams.get('trial');
  if (token === null) return null;
  const url = (/** @type {string} */ end) =>
    new URL(`${base}trial/${encodeURIComponent(token)}/${end}`, href).href;
  return {
    async fetchAssignment() {
      const text = await ask(url('assignment'), { timeoutMs: patience.assignmentMs });
      return parseAssignment(text);
    },
    async mark(mark) {
      await ask(url('window'), { timeoutMs: patience.markMs, message: { mark } });
    },
    async finish(result) {
      await ask(url('result'), { timeoutMs: patience.endMs, message: result });
    },
    async fail({ phase, message }) {
      const short = message.slice(0, longestMessage) || 'An error without a message.';
      await ask(url('error'), { timeoutMs: patience.endMs, message: { phase, message: short } });
    },
  };
}

/**
 * One exchange, bounded in time. The answer is read to its end, so that nothing of it arrives
 * inside the timed window.
 *
 * @param {string} url
 * @param {{ timeoutMs: number, message?: unknown }} options with a message it is a POST
 * @returns {Promise<string>}
 */
async function ask(url, { timeoutMs, message }) {
  const body = message === undefined ? undefined : JSON.stringify(message);
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
    cache: 'no-store',
    redirect: 'error',
    signal: deadlineSignal(timeoutMs),
  });
  const text = await response.text();
  if (response.ok) return text;
  const what = new URL(url).pathname.split('/').at(-1) ?? '';
  throw new Error(`The farm refused "${what}" (${String(response.status)}): ${text.slice(0, 300)}`);
}

/**
 * @param {string} text
 * @returns {Assignment}
 */
function parseAssignment(text) {
  const assignment = JSON.parse(text);
  if (assignment?.protocol === 1) return assignment;
  throw new Error(`This page speaks protocol 1, the farm ${String(assignment?.protocol)}.`);
}
