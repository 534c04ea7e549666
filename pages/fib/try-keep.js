import { byId, element } from './try-page.js';

/**
 * Keeps what a visitor measured, as a run of the farm, once they agreed; where the server allows it.
 *
 * @import { Curve, Point, Queue } from './try-queue.js'
 */

/** The farm reads no more of a time. */
const digits = 7;

/** @param {Queue} queue */
export function openKeeping(queue) {
  const button = /** @type {HTMLButtonElement} */ (byId('keep-button'));
  const device = /** @type {HTMLInputElement} */ (byId('device'));
  const consent = /** @type {HTMLInputElement} */ (byId('consent'));
  let isKeeping = false;
  let isAllowed = false;
  byId('agent').textContent = navigator.userAgent;
  byId('agent-cores').textContent = String(navigator.hardwareConcurrency ?? 'it does not say');
  const update = () => {
    const curves = queue.curves.filter(isKeepable);
    byId('keep').hidden = !isAllowed || queue.curves.length === 0;
    byId('keepable').textContent = describe(queue.curves, curves);
    byId('keep-form').hidden = curves.length === 0;
    button.disabled = isKeeping || !consent.checked;
  };
  consent.addEventListener('change', update);
  byId('keep-form').addEventListener('submit', (event) => {
    event.preventDefault();
    isKeeping = true;
    update();
    void keep(queue.curves.filter(isKeepable), device.value).finally(() => {
      isKeeping = false;
      // Each time is agreed to by itself.
      consent.checked = false;
      queue.change();
    });
  });
  void askAllowed().then((is) => {
    isAllowed = is;
    update();
  });
  return { update };
}

/** Curves that ran next to others are no measurement of a function. @param {Curve} curve */
function isKeepable({ state, shared, kept, points }) {
  return state === 'finished' && !shared && kept === null && points.length > 0;
}

/**
 * @param {readonly Curve[]} all
 * @param {readonly Curve[]} keepable
 */
function describe(all, keepable) {
  const shared = all.filter((curve) => curve.state === 'finished' && curve.shared).length;
  const left =
    shared === 0
      ? ''
      : ` ${count(shared)} that ran beside others cannot be kept: they shared cores.`;
  const isKept = all.some(({ kept }) => kept !== null);
  if (keepable.length === 0) return `${isKept ? 'No other' : 'No'} curve is finished.${left}`;
  const names = keepable.map(({ name }) => name).join(', ');
  return `${count(keepable.length)} can be kept: ${names}.${left}`;
}

/** @param {number} curves */
function count(curves) {
  return curves === 1 ? '1 curve' : `${String(curves)} curves`;
}

async function askAllowed() {
  const answer = await fetch('/visits', { cache: 'no-store' }).catch(() => null);
  return answer?.ok === true;
}

/**
 * @param {readonly Curve[]} curves
 * @param {string} name of the device
 */
async function keep(curves, name) {
  const now = performance.now();
  const trials = curves.flatMap((curve) => curve.points.map((point) => trialOf(curve, point, now)));
  const body = JSON.stringify({ consent: true, name, benchmark: 'fib', trials }, shorten);
  const answer = await fetch('/visits', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  }).catch(() => null);
  if (answer === null) return say('The farm cannot be reached. Nothing was kept.');
  if (!answer.ok) return say(`Nothing was kept. ${await answer.text()}`);
  const { run, url } = await answer.json();
  for (const curve of curves) curve.kept = run;
  // A phone cannot open the explorer, which stays on the farm's machine.
  if (url === null) return say(`Kept as run ${String(run)} of this farm.`);
  const link = element('a', `run ${String(run)}`);
  link.setAttribute('href', url);
  say('Kept as ', link, ' of this farm.');
  link.focus();
}

/**
 * @param {Curve} curve
 * @param {Point} point
 * @param {number} now
 */
function trialOf({ name, place }, { n, result, beganAt, wallMs }, now) {
  return { parameters: { function: name, n, place }, agoMs: now - beganAt, wallMs, result };
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function shorten(_key, value) {
  if (typeof value !== 'number' || Number.isInteger(value)) return value;
  return Number(value.toPrecision(digits));
}

/** @param {(Node | string)[]} parts */
function say(...parts) {
  byId('kept').replaceChildren(...parts);
}
