import { pause } from '../kit/clock.js';
import { runInPlace } from '../kit/place.js';
import { limits } from './benchmark.js';
import { colourOf, drawCores, drawCurves } from './try-drawing.js';

/**
 * The visitor's page: runs one of the functions for every n up to the chosen one, draws its curve
 * as it grows, and next to it how busy the cores of the farm's machine are, which are those of this
 * browser where both are on one machine.
 *
 * @import { MeasurementRules, TrialResult } from '../protocol.d.ts'
 * @import { Point } from './try-drawing.js'
 */

/** @type {MeasurementRules} A short look at each n, for a person who waits. */
const rules = {
  minGranules: 20,
  settled: { ms: 20, calls: 20 },
  window: { ms: 40, iterations: 1 },
  maxMs: 200,
};

/** A call of this duration ends the curve: the next would take longer still. */
const longestMs = 20_000;

const lookEveryMs = 250;

/** @type {{ label: string, points: Point[] }[]} */
const curves = [];

const [form, status, values] = [byId('form'), byId('status'), byId('values')];
drawForm();
showCurves();
void watchCores();

/** @param {string} id */
function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no "${id}".`);
  return found;
}

function drawForm() {
  const name = select(Object.keys(limits), 'asyncFib');
  const place = select(['worker', 'main'], 'worker');
  const n = document.createElement('input');
  const run = document.createElement('button');
  n.type = 'number';
  n.min = '1';
  n.value = '18';
  run.textContent = 'Run';
  const fit = () => {
    n.max = String(limits[/** @type {keyof typeof limits} */ (name.value)]);
    if (Number(n.value) > Number(n.max)) n.value = n.max;
  };
  name.addEventListener('change', fit);
  fit();
  form.append(labelled('Function', name), labelled('n up to', n), labelled('Place', place), run);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void grow({ name: name.value, largest: Number(n.value), place: place.value, run });
  });
}

/**
 * @param {readonly string[]} options
 * @param {string} value
 */
function select(options, value) {
  const made = document.createElement('select');
  for (const option of options) made.append(new Option(option, option));
  made.value = value;
  return made;
}

/**
 * @param {string} text
 * @param {HTMLElement} field
 */
function labelled(text, field) {
  const made = document.createElement('label');
  made.append(`${text} `, field);
  return made;
}

/** @param {{ name: string, largest: number, place: string, run: HTMLButtonElement }} order */
async function grow({ name, largest, place, run }) {
  /** @type {Point[]} */
  const points = [];
  curves.push({ label: `${name}, ${place === 'main' ? 'main thread' : 'worker'}`, points });
  run.disabled = true;
  try {
    for (const n of stepsTo(largest)) {
      say(`${name}(${String(n)}) …`);
      await pause(0);
      const ms = await timeOne({ function: name, n, place });
      points.push({ n, ms });
      showCurves();
      addValue(name, n, ms);
      if (ms > longestMs) return say(`Stopped at n = ${String(n)}, which took ${show(ms)}.`);
    }
    const last = points.at(-1);
    say(`Done: ${name}(${String(last?.n)}) takes ${show(last?.ms ?? NaN)}.`);
  } catch (cause) {
    say(`It failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  } finally {
    run.disabled = false;
  }
}

/** Every n where there are few; else some of them, the last among them. @param {number} largest */
function stepsTo(largest) {
  const step = Math.max(1, Math.ceil(largest / 60));
  const ns = Array.from({ length: largest }, (_, i) => i + 1);
  return ns.filter((n) => n === largest || n % step === 0);
}

/**
 * @param {{ function: string, n: number, place: string }} parameters
 * @returns {Promise<number>} milliseconds of a call: the mean over the timed window
 */
function timeOne(parameters) {
  const benchmarkUrl = new URL('benchmark.js', import.meta.url).href;
  const assignment = /** @type {const} */ ({
    protocol: 1,
    benchmark: 'fib',
    parameters,
    measurement: rules,
  });
  return new Promise((resolve, reject) => {
    const href = new URL(location.pathname, location.href).href;
    void runInPlace({ href, benchmarkUrl, assignment }, (notice) => {
      if (notice.kind === 'failed') reject(new Error(notice.error.message));
      if (notice.kind === 'completed') resolve(meanOf(notice.result));
    });
  });
}

/** @param {TrialResult} result */
function meanOf({ samples }) {
  const timed = samples[0]?.timed ?? [];
  return timed.reduce((sum, one) => sum + one, 0) / timed.length;
}

function showCurves() {
  byId('curves').replaceChildren(drawCurves(curves));
  byId('legend').replaceChildren(
    ...curves.map(({ label }, index) => {
      const item = document.createElement('li');
      const mark = document.createElement('span');
      mark.className = colourOf(index);
      mark.textContent = '● ';
      item.append(mark, label);
      return item;
    }),
  );
}

/**
 * @param {string} name
 * @param {number} n
 * @param {number} ms
 */
function addValue(name, n, ms) {
  const row = document.createElement('tr');
  for (const text of [name, String(n), show(ms)]) {
    const cell = document.createElement('td');
    cell.textContent = text;
    row.append(cell);
  }
  values.append(row);
}

/** @param {number} ms */
function show(ms) {
  return `${ms.toPrecision(3)} ms`;
}

/** @param {string} text */
function say(text) {
  status.textContent = text;
}

/** Asks only while the page is seen; a server that does not say how busy its cores are is not asked again. */
async function watchCores() {
  /** @type {CoreTimes | null} */
  let before = null;
  for (;;) {
    if (document.visibilityState === 'visible') {
      const now = await readCores();
      if (now === null) {
        byId('cores').textContent =
          'This server does not say: open the page by npx crossfarm serve.';
        return;
      }
      if (before !== null) byId('cores').replaceChildren(...drawCores(sharesOf(before, now)));
      before = now;
    }
    await pause(lookEveryMs);
  }
}

/** @typedef {readonly { busyMs: number, idleMs: number }[]} CoreTimes */

/** @returns {Promise<CoreTimes | null>} */
async function readCores() {
  const response = await fetch('/machine/cores').catch(() => null);
  return response?.ok ? (await response.json()).cores : null;
}

/**
 * @param {CoreTimes} before
 * @param {CoreTimes} now
 */
function sharesOf(before, now) {
  return now.map(({ busyMs, idleMs }, core) => {
    const busy = busyMs - (before[core]?.busyMs ?? 0);
    const idle = idleMs - (before[core]?.idleMs ?? 0);
    return busy + idle > 0 ? busy / (busy + idle) : 0;
  });
}
