import './guest-entries.js';
import './guest-values.js';
import './guest-quiet.js';
import './guest-metrics.js';
import { openTrial } from './trial.js';

/**
 * The adapter of pages that are not ours. It speaks the trial protocol in the page's place, and reads
 * its result in the way that the suite says. It comes when the page has loaded (`guest-head.js`); the
 * window began before the page did, unless the farm begins the page's work.
 *
 * @import { Assignment, GuestTask, TrialResult } from '../protocol.d.ts'
 * @import { TrialClient } from './trial.js'
 */

/** @type {{ crossfarmHead: import('../protocol.d.ts').GuestHead, crossfarmGuest: any }} */
const { crossfarmHead, crossfarmGuest } = /** @type {any} */ (globalThis);
const { input, errors, hasten, lookLong, expect, readAll, endsOf, discover } = crossfarmGuest;

void begun().then(adapt);

/**
 * A service worker may have kept the page with the token of an earlier trial of its session; the farm
 * knows which one it is now.
 */
async function begun() {
  const client = trialBy(crossfarmHead.token);
  try {
    return { client, assignment: await client.fetchAssignment() };
  } catch (error) {
    // No cache answers a POST.
    const answer = await fetch('/.crossfarm/trial-of-origin', { method: 'POST' });
    const token = await answer.text();
    if (!answer.ok || token === crossfarmHead.token) throw error;
    const later = trialBy(token);
    return { client: later, assignment: await later.fetchAssignment() };
  }
}

/** @param {string} token */
function trialBy(token) {
  const address = `${location.origin}/?trial=${token}`;
  return /** @type {TrialClient} */ (openTrial(address, '/.crossfarm/'));
}

/** @param {{ client: TrialClient, assignment: Assignment }} trial */
async function adapt({ client, assignment: { guest, measurement } }) {
  const isSmokeTest = 'fast' in measurement;
  if (isSmokeTest) hasten();
  else if (guest?.discover !== undefined) lookLong();
  if (guest === undefined) {
    const message = 'The assignment says nothing of a page that is not ours.';
    await client.fail({ phase: 'load', message });
    return;
  }
  expect(guest);
  if (guest.awaitsInput === true) input.await();
  try {
    const isBegun = guest.begin === undefined || input.isContinued;
    if (!isBegun && !(await begin(client, guest.begin))) return;
    // Each look costs the page time in which it is measured; of a smoke test that does not matter.
    const { values, more } = await resultOf(guest, isSmokeTest ? 50 : 250);
    await client.mark('end');
    const { describeGuest } = await import('./guest-result.js');
    await client.finish(
      describeGuest(guest, values, { ...more, ...(await explain(guest, values)) }),
    );
  } catch (error) {
    await client.fail({ phase: 'timed', message: String(error) });
  }
}

/**
 * A result is complete without it.
 * @param {GuestTask} task
 * @param {Readonly<Record<string, readonly number[]>>} values by metric
 * @returns {Promise<Pick<TrialResult, 'explanations'>>}
 */
async function explain({ metrics, discover: isLook }, values) {
  if (isLook !== undefined) return {};
  try {
    // @ts-expect-error it is a script, which a driver also runs in a page
    await import('./guest-explanation.js');
    const { crossfarmExplanation } = /** @type {any} */ (globalThis);
    const explanations = await crossfarmExplanation.explain(metrics, values);
    return explanations.length === 0 ? {} : { explanations };
  } catch {
    return {};
  }
}

/**
 * Once the page has loaded.
 * @param {TrialClient} client
 * @param {string} expression
 * @returns whether it began; if not, the trial has ended
 */
async function begin(client, expression) {
  if (document.readyState !== 'complete') {
    await new Promise((loaded) => addEventListener('load', loaded, { once: true }));
  }
  await client.mark('start');
  try {
    (0, eval)(`(${expression})`);
    return true;
  } catch (error) {
    await client.fail({ phase: 'timed', message: `What begins the page threw: ${String(error)}` });
    return false;
  }
}

/**
 * Looks until each value is there, and as soon as the page has timed something: later work does not
 * belong to it.
 *
 * @param {GuestTask} task
 * @param {number} pollMs
 * @returns {Promise<{ values: Readonly<Record<string, number[]>>, more: Pick<TrialResult, 'endedAt' | 'offers' | 'errors'> }>}
 */
function resultOf({ metrics, discover: wanted }, pollMs) {
  return new Promise((resolve, reject) => {
    const timings = new PerformanceObserver(look);
    const timer = setInterval(look, pollMs);
    timings.observe({ type: 'measure' });
    look();

    function look() {
      try {
        const offers = wanted === undefined ? undefined : discover(wanted);
        const values = offers === null ? null : readAll(metrics);
        if (values === null) return;
        const endedAt = endsOf(metrics, values);
        const wrong = errors.length > 0 ? { errors } : {};
        resolve({ values, more: { endedAt, ...(offers && { offers }), ...wrong } });
      } catch (error) {
        reject(error);
      }
      clearInterval(timer);
      timings.disconnect();
    }
  });
}
