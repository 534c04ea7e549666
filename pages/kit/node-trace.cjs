'use strict';

/**
 * Node.js loads this before a trial's script, in each of its threads, where a trace was ordered: V8's
 * sampling profiler runs, and the trace has the form of Chromium's. It is written as soon as the page's
 * window is over, before the result is sent: a process that has answered is ended without a word.
 */

const fs = require('fs');
const { Session } = require('inspector');
const { performance } = require('perf_hooks');
const { isMainThread, threadId } = require('worker_threads');

const { CROSSFARM_TRACE: path = '', CROSSFARM_TRACE_INTERVAL_US: interval = '1000' } = process.env;
/** Of which a process has so many parts at most. */
const mostThreads = 1000;
const { pid } = process;

/** @typedef {Record<string, unknown>} TraceEvent */

/** @type {TraceEvent[]} */
const windows = [];
let isOver = false;

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: Number(interval) });
session.post('Profiler.start');

const { measure } = performance;
performance.measure = function measureAndMark(/** @type {any[]} */ ...args) {
  const entry = Reflect.apply(measure, performance, args);
  if (entry.name === 'timed window') {
    const clock = Number(process.hrtime.bigint()) / 1000 - performance.now() * 1000;
    const from = clock + entry.startTime * 1000;
    for (const [ph, ts] of [
      ['b', from],
      ['e', from + entry.duration * 1000],
    ]) {
      const id = String(windows.length >> 1);
      windows.push({ ph, ts, id, pid, tid: threadId, cat: 'blink.user_timing', name: entry.name });
    }
    endAll();
  }
  return entry;
};

/** Ends the profile of this thread. */
function takeEvents() {
  /** @type {TraceEvent[]} */
  const events = [];
  if (isOver) return events;
  isOver = true;
  session.post('Profiler.stop', (error, answer) => {
    if (error !== null || answer === undefined) return;
    const { nodes, samples = [], timeDeltas = [], startTime } = answer.profile;
    const parents = new Map(
      nodes.flatMap((node) => (node.children || []).map((child) => [child, node.id])),
    );
    const common = { pid, tid: threadId, id: `0x${threadId.toString(16)}`, ts: startTime };
    const cat = 'disabled-by-default-v8.cpu_profiler';
    const name = isMainThread ? 'main' : 'worker';
    events.push(
      { ...common, ph: 'M', cat: '__metadata', name: 'thread_name', args: { name } },
      { ...common, ph: 'P', cat, name: 'Profile', args: { data: { startTime } } },
      {
        ...common,
        ph: 'P',
        cat,
        name: 'ProfileChunk',
        args: {
          data: {
            cpuProfile: {
              nodes: nodes.map(({ id, callFrame }) => ({ id, callFrame, parent: parents.get(id) })),
              samples,
            },
            timeDeltas,
          },
        },
      },
      ...windows,
    );
  });
  return events;
}

/** @param {number} thread */
function partOf(thread) {
  return `${path}.thread-${String(thread)}`;
}

function writePart() {
  const events = takeEvents();
  if (events.length > 0)
    fs.writeFileSync(partOf(threadId), JSON.stringify(events), { mode: 0o600 });
}

function writeTrace() {
  const traceEvents = takeEvents();
  if (traceEvents.length === 0) return;
  for (let thread = 1, missing = 0; missing < 10 && thread < mostThreads; thread += 1) {
    try {
      traceEvents.push(...JSON.parse(fs.readFileSync(partOf(thread), 'utf8')));
      fs.unlinkSync(partOf(thread));
    } catch {
      // A thread that was ended without a word, or none.
      missing += 1;
    }
  }
  fs.writeFileSync(`${path}.part`, JSON.stringify({ traceEvents }), { mode: 0o600 });
  fs.renameSync(`${path}.part`, path);
}

/** How long the other threads have for their parts, and the main thread for the whole. */
const partsMs = 50;
const wholeMs = 2000;

/** Tells every thread that the window is over. Node.js before 15.4 has no such channel. */
const channel =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('crossfarm-trace');
if (channel !== undefined) {
  channel.onmessage = () => (isMainThread ? setTimeout(writeTrace, partsMs) : writePart());
  /** @type {any} */ (channel).unref();
}

function endAll() {
  // The part that holds the window is there before the main thread puts all together.
  if (!isMainThread) writePart();
  if (channel !== undefined) channel.postMessage('over');
  if (isMainThread) {
    sleep(partsMs);
    writeTrace();
    return;
  }
  for (let waited = 0; waited < wholeMs && !fs.existsSync(path); waited += 10) sleep(10);
}

/** @param {number} ms */
function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

process.on('exit', isMainThread ? writeTrace : writePart);
// One that has timed nothing is asked to end.
if (isMainThread) process.on('SIGTERM', () => process.exit(0));
