import { runTrial } from './host.js';
import { openParent } from './threads.js';

/** Entry of the thread: it measures, marks and reports by itself, so the main thread is idle. */
const parent = openParent();
parent.onceMessage((order) => void runTrial(order, (notice) => parent.post(notice)));
