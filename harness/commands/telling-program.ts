/** What the thread of `telling-thread.ts` runs. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerQuestions } from './telling-answers.ts';

if (parentPort === null) throw new Error('This is the program of a thread, not of a process');
answerQuestions(parentPort, (workerData as { readonly database: string }).database);
