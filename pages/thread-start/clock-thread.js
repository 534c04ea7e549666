// A thread that reports its clock whenever it is asked through shared memory: see clocks.js.
import { stamp } from './clocks.js';

/** Only web workers have `postMessage`; a thread of Node.js has a port instead. */
const port =
  typeof globalThis.postMessage === 'function'
    ? globalThis
    : /** @type {any} */ (globalThis).process.getBuiltinModule('node:worker_threads').parentPort;

/**
 * Answers every question at once, by its number, until the number is negative or no question comes
 * for a second.
 * @param {{ numbers: Int32Array, times: Float64Array }} shared as `makeShared` of clocks.js lays it out
 */
function answer({ numbers, times }) {
  port.postMessage('listening');
  let answered = 0;
  let last = performance.now();
  for (;;) {
    const asked = Atomics.load(numbers, 0);
    if (asked < 0 || performance.now() - last > 1000) return;
    if (asked === answered) continue;
    last = performance.now();
    const waitMs = Number(times[2]);
    while (performance.now() - last < waitMs) continue;
    const { origin, now } = stamp();
    times[0] = origin;
    times[1] = now;
    answered = asked;
    Atomics.store(numbers, 1, answered);
  }
}

if (port === globalThis)
  port.addEventListener('message', (/** @type {MessageEvent} */ { data }) => answer(data));
else port.on('message', answer);
