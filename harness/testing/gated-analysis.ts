/** An analysis process in which the search of the nights waits until a test opens the gate. */
import { readFileSync } from 'node:fs';
import { answerQuestions } from '../features/explorer/analysis-answers.ts';

const [, , database = '', gate = ''] = process.argv;

answerQuestions(database, (analyst) => ({
  ...analyst,
  changes(history) {
    // Blocks this process, as a search does, until a test writes to the pipe.
    readFileSync(gate);
    return analyst.changes(history);
  },
}));
