import { limits } from './benchmark.js';
import { watchCores } from './try-cores.js';
import { drawCurves } from './try-drawing.js';
import { openKeeping } from './try-keep.js';
import { measureCall } from './try-measure.js';
import { byId, element, markCurve, namePlace, showTime } from './try-page.js';
import { chooseSteps, Queue } from './try-queue.js';

/**
 * The visitor's page: runs the chosen functions for every n up to the largest, draws their curves as
 * they grow, and below them how busy this page, and the cores of the farm's machine, were meanwhile.
 *
 * @import { Curve } from './try-queue.js'
 */

const usual = new Set(['syncFib', 'asyncFib']);

/** One core stays with the page. */
const most = Math.max(2, (navigator.hardwareConcurrency ?? 2) - 1);

/** @type {Map<Curve, { update: () => void }>} */
const items = new Map();

const queue = new Queue({ measure: measureCall, onChange, most });
const keeping = openKeeping(queue);
const [number, place, order] = [input('n'), input('place'), input('order')];

for (const [name, largest] of Object.entries(limits))
  byId('functions').append(choice(name, largest));
fitNumber();
byId('form').addEventListener('change', fitNumber);
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  addChosen();
});
byId('cancel-all').addEventListener('click', () => queue.cancelAll());
byId('plain-http').hidden = isSecureContext;
onChange();
void watchCores(() => queue.curves);

/** @param {string} id */
function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}

/**
 * @param {string} name
 * @param {number} largest
 */
function choice(name, largest) {
  const box = /** @type {HTMLInputElement} */ (element('input'));
  box.type = 'checkbox';
  box.value = name;
  box.checked = usual.has(name);
  return element('label', box, ` ${name} `, element('small', `n ≤ ${String(largest)}`));
}

/** @returns {(keyof typeof limits)[]} */
function listChosen() {
  const boxes = byId('functions').querySelectorAll('input');
  const names = [...boxes].filter(({ checked }) => checked).map(({ value }) => value);
  return /** @type {(keyof typeof limits)[]} */ (names);
}

/** A curve ends at its own limit; the field, at the largest of them. */
function fitNumber() {
  number.max = String(Math.max(1, ...listChosen().map((name) => limits[name])));
  if (Number(number.value) > Number(number.max)) number.value = number.max;
  order.disabled = place.value === 'main';
}

function addChosen() {
  const names = listChosen();
  if (names.length === 0) return say('Choose at least one function.');
  queue.add(
    names.map((name) => ({
      name,
      place: place.value === 'main' ? 'main' : 'worker',
      ns: chooseSteps(Math.min(Number(number.value), limits[name])),
      together: order.value === 'together' && !order.disabled,
    })),
  );
}

function onChange() {
  const { curves } = queue;
  for (const curve of curves) {
    const item = items.get(curve) ?? addItem(curve);
    item.update();
  }
  const waiting = curves.filter(isPending).length;
  byId('results').hidden = curves.length === 0;
  byId('cancel-all').hidden = waiting < 2;
  byId('curves').replaceChildren(drawCurves(curves));
  keeping.update();
}

/** @param {Curve} curve */
function isPending({ state }) {
  return state === 'queued' || state === 'running';
}

/**
 * A curve's line in the list, which stays the same element: the focus may be on its button.
 * @param {Curve} curve
 */
function addItem(curve) {
  const name = `${curve.name}, ${namePlace(curve)}`;
  const told = element('span');
  const bar = /** @type {HTMLProgressElement} */ (element('progress'));
  const cancel = /** @type {HTMLButtonElement} */ (element('button', 'Cancel'));
  const label = element('span', markCurve(items.size), name);
  bar.max = curve.ns.length;
  bar.setAttribute('aria-label', `Progress of ${name}`);
  cancel.setAttribute('aria-label', `Cancel ${name}`);
  cancel.addEventListener('click', () => queue.cancel(curve));
  told.className = 'soft';
  byId('queue').append(element('li', label, cancel, bar, told));
  let shown = 0;
  let before = '';
  const item = {
    update() {
      const pending = isPending(curve);
      bar.value = curve.points.length;
      bar.hidden = !pending;
      if (!pending && document.activeElement === cancel) byId('run').focus();
      cancel.hidden = !pending;
      told.textContent = describe(curve);
      for (const { n, ms } of curve.points.slice(shown)) addValue(curve, n, ms);
      shown = curve.points.length;
      if (!pending && before !== curve.state) say(conclude(curve));
      before = curve.state;
    },
  };
  items.set(curve, item);
  return item;
}

/** @param {Curve} curve */
function describe({ state, points, ns, note, shared, kept }) {
  const last = points.at(-1);
  const reached = last === undefined ? '' : `n = ${String(last.n)}: ${showTime(last.ms)}`;
  const largest = `n ≤ ${String(ns.at(-1))}`;
  return [
    state === 'finished' ? reached : state === 'queued' ? `queued, ${largest}` : state,
    state === 'finished' || state === 'queued' ? '' : reached,
    note,
    shared ? 'beside others' : '',
    kept === null ? '' : `kept in run ${String(kept)}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** @param {Curve} curve */
function conclude({ name, state, points, note }) {
  const last = points.at(-1);
  if (state === 'failed') return `${name} failed: ${note}`;
  if (state === 'cancelled') return `${name} was cancelled.`;
  return `Done: ${name}(${String(last?.n)}) takes ${showTime(last?.ms ?? NaN)}.`;
}

/**
 * @param {Curve} curve
 * @param {number} n
 * @param {number} ms
 */
function addValue(curve, n, ms) {
  const cells = [curve.name, namePlace(curve), String(n), showTime(ms)];
  byId('values').append(element('tr', ...cells.map((text) => element('td', text))));
}

/** @param {string} text */
function say(text) {
  byId('status').textContent = text;
}
