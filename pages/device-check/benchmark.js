import { pause } from '../kit/clock.js';
import { findRuntime } from '../kit/host-facts.js';
import { startThread } from '../kit/threads.js';

/**
 * Tries what a browser or runtime can do, for the report of a device. It is not a benchmark. Each
 * part gives numbers; a part that fails gives 0, and the words of its error.
 *
 * @import { Preparation } from '../kit/execution.js'
 */

export const id = 'device-check';

/** A part that hangs is given up. */
const patienceMs = 5000;

/** @typedef {Record<string, number>} Facts */

/** @returns {Preparation} */
export function prepare() {
  /** @type {Facts} */
  const facts = {};
  /** @type {string[]} */
  const failures = [];
  return {
    once: () => tryParts(facts, failures),
    asynchronous: true,
    firstRun: true,
    check: () => undefined,
    counters: () => facts,
    errors: () => failures,
  };
}

/** Parts for browsers and runtimes. @type {Readonly<Record<string, () => Facts | Promise<Facts>>>} */
const everywhere = {
  worker: startWorker,
  'shared memory': shareMemory,
  'shared WebAssembly memory': shareWasmMemory,
  timers: timeTimers,
};

/** @type {typeof everywhere} */
const inBrowsers = {
  visible: () => holds(document.visibilityState === 'visible', 'the page is hidden'),
  'secure context': () => holds(isSecureContext, 'the page came over plain HTTP'),
  fresh: lookForMarker,
  files: askForFile,
  frames: timeFrames,
  'wake lock': keepAwake,
  screen: readScreen,
  entries: listEntries,
};

/**
 * @param {Facts} facts
 * @param {string[]} failures
 */
async function tryParts(facts, failures) {
  const parts = findRuntime() === null ? { ...everywhere, ...inBrowsers } : everywhere;
  for (const [name, run] of Object.entries(parts)) {
    try {
      Object.assign(facts, { [name]: 1 }, await inTime(run));
    } catch (error) {
      facts[name] = 0;
      failures.push(`${name}: ${describe(error)}`.slice(0, 300));
    }
  }
}

/** @param {unknown} error */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`;
}

/** @param {() => Facts | Promise<Facts>} run */
async function inTime(run) {
  const late = pause(patienceMs).then(() => {
    throw new Error(`no answer in ${String(patienceMs / 1000)} s`);
  });
  return Promise.race([run(), late]);
}

/**
 * @param {boolean} isSo
 * @param {string} otherwise
 * @returns {Facts}
 */
function holds(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
  return {};
}

/**
 * @param {import('./thread.js').Task} task
 * @param {() => void} [meanwhile] done once the task is posted
 * @returns {Promise<unknown>}
 */
function askThread(task, meanwhile = () => undefined) {
  return new Promise((resolve, reject) => {
    const thread = startThread(new URL('thread.js', import.meta.url), {
      onMessage({ value, failed }) {
        void thread.end();
        if (failed === undefined) resolve(value);
        else reject(new Error(failed));
      },
      onFailure: reject,
    });
    thread.post(task);
    meanwhile();
  });
}

/** @returns {Promise<Facts>} */
async function startWorker() {
  const began = performance.now();
  await askThread({ kind: 'echo' });
  return { 'thread start ms': performance.now() - began };
}

async function shareMemory() {
  if (typeof SharedArrayBuffer === 'undefined') throw new Error('there is no SharedArrayBuffer');
  const cells = new Int32Array(new SharedArrayBuffer(8));
  await askThread({ kind: 'wait', cells }, () => {
    setTimeout(() => {
      Atomics.store(cells, 0, 1);
      Atomics.notify(cells, 0);
    }, 100);
  });
  return holds(Atomics.load(cells, 1) === 42, 'the thread’s write is not seen');
}

function shareWasmMemory() {
  const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
  const name = Object.prototype.toString.call(buffer);
  return holds(name === '[object SharedArrayBuffer]', `its buffer is ${name}`);
}

function askForFile() {
  return askThread({ kind: 'file' }).then(() => ({}));
}

const rounds = 20;

/** @param {number[]} values */
function medianOf(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Timers of 4 ms, the shortest that browsers allow when they are nested. */
async function timeTimers() {
  const took = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await pause(4);
    took.push(performance.now() - began);
  }
  return { 'timer of 4 ms': medianOf(took), 'slowest timer of 4 ms': Math.max(...took) };
}

async function timeFrames() {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const took = [];
  await nextFrame();
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await nextFrame();
    took.push(performance.now() - began);
  }
  return { 'frame ms': medianOf(took) };
}

/** Tells if a page before this one left something in the storage of the session. */
function lookForMarker() {
  const key = 'crossfarm-device-check';
  const isMarked = sessionStorage.getItem(key) !== null;
  sessionStorage.setItem(key, 'seen');
  return { fresh: isMarked ? 0 : 1 };
}

/** Keeps the screen of an attended phone on. */
async function keepAwake() {
  if (navigator.wakeLock === undefined) throw new Error('navigator.wakeLock is not there');
  await (await navigator.wakeLock.request('screen')).release();
  return {};
}

/** @returns {Facts} */
function readScreen() {
  return {
    'screen width': screen.width,
    'screen height': screen.height,
    'pixel ratio': devicePixelRatio,
    'touch points': navigator.maxTouchPoints,
  };
}

/** Which measures of a page this browser gives. */
function listEntries() {
  const known = PerformanceObserver.supportedEntryTypes;
  const wanted = [
    ...['paint', 'largest-contentful-paint', 'layout-shift', 'event'],
    ...['longtask', 'long-animation-frame'],
  ];
  return Object.fromEntries(wanted.map((type) => [type, known.includes(type) ? 1 : 0]));
}
