import { runTrial } from './host.js';

/** Entry of the module worker: it measures, marks and reports by itself, so the page's main thread is idle. */
globalThis.addEventListener(
  'message',
  (event) => void runTrial(event.data, (notice) => globalThis.postMessage(notice)),
  { once: true },
);
