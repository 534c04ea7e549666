import { openParent } from '../kit/threads.js';
import { evaluateInWorkers } from './sub-workers.js';

/** One call of the recursion, in a worker that its caller made. */
const parent = openParent();
parent.onceMessage((n) => {
  evaluateInWorkers(n).then(parent.post, (cause) => parent.post({ error: String(cause) }));
});
