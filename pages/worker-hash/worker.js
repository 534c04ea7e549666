import { openParent } from '../kit/threads.js';
import { hashTimes, loadHash } from './hashing.js';

/** Entry of one thread: it hashes its share and answers with what it did. */
const parent = openParent();
let answers = 0;
parent.onceMessage((order) => void answer(order));

/** @param {{ calls: number, implementation: string }} order */
async function answer({ calls, implementation }) {
  try {
    const hash = await loadHash(implementation);
    const done = hashTimes(hash, calls);
    answers += 1;
    parent.post({ ...done, answers });
  } catch (cause) {
    // As an answer: a page never sees a promise that is rejected in a worker.
    parent.post({ failure: String(cause) });
  }
}
