// The thread that is timed. It imports nothing, because imports would be fetched and run before its
// first instruction, which is the next line.
const now = performance.now();
// The smallest of several readings: see clocks.js, which cannot be imported here.
let origin = performance.timeOrigin;
for (let i = 1; i < 9; i++) origin = Math.min(origin, performance.timeOrigin);

/** Only web workers have `postMessage`; a thread of Node.js has a port instead. */
const port =
  typeof globalThis.postMessage === 'function'
    ? globalThis
    : /** @type {any} */ (globalThis).process.getBuiltinModule('node:worker_threads').parentPort;

port.postMessage({ origin, now });

/**
 * When its first message was heard it is given the counter of all threads, in shared memory: only a
 * thread that really runs can add itself to it.
 * @param {Int32Array} counter
 */
function count(counter) {
  Atomics.add(counter, 0, 1);
  port.postMessage('counted');
}

if (port === globalThis)
  port.addEventListener('message', (/** @type {MessageEvent} */ { data }) => count(data));
else port.on('message', count);

export {}; // Makes it a module for the type checker.
