/** A telling thread of which the search of the nights does not end before a test opens the gate. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { answerQuestions } from '../commands/telling-answers.ts';

export interface Gated {
  readonly database: string;
  /** Closed while its only number is 0. */
  readonly gate: Int32Array;
  /** Is told when a search has begun. */
  readonly begun: MessagePort;
}

const { database, gate, begun } = workerData as Gated;
if (parentPort === null) throw new Error('This is the program of a thread, not of a process');
answerQuestions(parentPort, database, (teller) => ({
  ...teller,
  changes(history) {
    begun.postMessage('begun');
    // As a search does: nothing else is done in this thread.
    Atomics.wait(gate, 0, 0);
    return teller.changes(history);
  },
}));
