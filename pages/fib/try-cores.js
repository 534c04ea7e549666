import { pause } from '../kit/clock.js';
import { byId, colourOf, element } from './try-page.js';
import { makeSvg } from './try-drawing.js';

/**
 * How busy this page and the cores of the farm's machine were in the last minute, which are those of
 * this browser where both are on one machine.
 *
 * @import { Curve } from './try-queue.js'
 *
 * @typedef {readonly { busyMs: number, idleMs: number }[]} CoreTimes
 *
 * @typedef {object} Look
 * @property {number} at
 * @property {readonly number[]} running indices of the curves that ran
 * @property {number} lagMs how late the page's own timer was
 * @property {readonly number[]} shares busy shares of the cores, 0 to 1; none where the server does not tell
 */

const everyMs = 500;
const spanMs = 60_000;
const notTold = 'not told';

/**
 * Looks while the page is seen. A server that does not say how busy its cores are is asked once.
 * @param {() => readonly Curve[]} listCurves
 */
export async function watchCores(listCurves) {
  /** @type {Look[]} */
  let looks = [];
  let before = await readCores();
  let pressure = 'unknown';
  if (before === null) {
    await watchPressure((state) => {
      pressure = state;
    });
  }
  for (;;) {
    const due = performance.now() + everyMs;
    await pause(everyMs);
    if (document.visibilityState !== 'visible') continue;
    const at = performance.now();
    const now = before && (await readCores());
    const running = listCurves().flatMap(({ state }, index) =>
      state === 'running' ? [index] : [],
    );
    const shares = before && now ? sharesOf(before, now) : [];
    looks = [
      ...looks.filter((look) => at - look.at < spanMs),
      { at, running, lagMs: at - due, shares },
    ];
    before = now ?? before;
    draw(looks, before === null ? pressure : null);
  }
}

/**
 * Asks the browser how loaded its CPU is (Compute Pressure), which Chromium alone tells.
 * @param {(state: string) => void} tell
 */
async function watchPressure(tell) {
  const Observer = Reflect.get(globalThis, 'PressureObserver');
  if (Observer === undefined) return tell(notTold);
  const observer = new Observer((/** @type {{ state: string }[]} */ records) =>
    tell(records.at(-1)?.state ?? 'unknown'),
  );
  await observer.observe('cpu', { sampleInterval: 1000 }).catch(() => tell(notTold));
}

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

/**
 * @param {readonly Look[]} looks
 * @param {string | null} pressure of this device's CPU; null where the server tells of its cores
 */
function draw(looks, pressure) {
  const last = looks.at(-1);
  if (last === undefined) return;
  const busy = last.shares.reduce((sum, one) => sum + one, 0);
  const cores =
    pressure === null
      ? `${busy.toFixed(2)} of ${String(last.shares.length)} cores of the farm’s machine busy`
      : pressure === notTold
        ? 'This browser does not tell how busy its device is'
        : `CPU pressure of this device, as its browser says: ${pressure}`;
  const page = `this page runs ${count(last.running.length)}, and its main thread answers ${Math.max(0, last.lagMs).toFixed(0)} ms late`;
  byId('cores-now').textContent = `${cores} · ${page}`;
  byId('cores').replaceChildren(
    drawRunning(looks),
    ...last.shares.map((_, core) => drawCore(looks, core)),
    drawTimes(),
  );
}

/** @param {number} curves */
function count(curves) {
  return curves === 1 ? '1 curve' : `${String(curves)} curves`;
}

/**
 * The place of a time in a row, in its hundredths: now is on the right.
 * @param {readonly Look[]} looks
 */
function timeScale(looks) {
  const now = looks.at(-1)?.at ?? 0;
  return (/** @type {number} */ at) => 100 * Math.max(0, 1 - (now - at) / spanMs);
}

/** Which curves ran when, in their colours. @param {readonly Look[]} looks */
function drawRunning(looks) {
  const x = timeScale(looks);
  const tallest = Math.max(1, ...looks.map(({ running }) => running.length));
  const bars = looks.flatMap(({ at, running }) =>
    running.map((curve, level) => {
      const from = x(at - everyMs);
      const height = 100 / tallest;
      return makeSvg('rect', {
        class: colourOf(curve),
        fill: 'currentColor',
        x: from.toFixed(2),
        // A look may be late: the next one begins where it ended.
        width: (x(at) - from + 0.3).toFixed(2),
        y: (100 - (level + 1) * height).toFixed(1),
        height: height.toFixed(1),
      });
    }),
  );
  const count = looks.at(-1)?.running.length ?? 0;
  return drawRow({
    name: 'this page',
    marks: bars,
    value: String(count),
    label: `${String(count)} running`,
  });
}

/**
 * @param {readonly Look[]} looks
 * @param {number} core
 */
function drawCore(looks, core) {
  const x = timeScale(looks);
  const shares = looks.map((look) => look.shares[core] ?? 0);
  const line = looks.map(({ at }, index) => {
    const y = 100 - 100 * (shares[index] ?? 0);
    return `L${x(at).toFixed(1)} ${y.toFixed(1)}`;
  });
  const from = x(looks[0]?.at ?? 0).toFixed(1);
  const area = makeSvg('path', { d: `M${from} 100${line.join('')}L100 100Z`, class: 'busy' });
  const now = `${(100 * (shares.at(-1) ?? 0)).toFixed(0)} %`;
  const mean = (100 * shares.reduce((sum, one) => sum + one, 0)) / shares.length;
  const label = `${now} busy now, ${mean.toFixed(0)} % in the mean of the last minute`;
  return drawRow({ name: `core ${String(core)}`, marks: [area], value: now, label });
}

function drawTimes() {
  const ends = element(
    'span',
    element('span', `${String(spanMs / 1000)} s ago`),
    element('span', 'now'),
  );
  ends.className = 'times soft';
  const row = element('div', element('span'), ends, element('span'));
  row.className = 'core';
  return row;
}

/** @param {{ name: string, marks: readonly Node[], value: string, label: string }} row */
function drawRow({ name, marks, value, label }) {
  const svg = makeSvg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img' });
  const title = makeSvg('title', {});
  title.textContent = `${name}: ${label}`;
  svg.append(title, ...marks);
  const row = element('div', element('span', name), svg, element('span', value));
  row.className = 'core';
  return row;
}
