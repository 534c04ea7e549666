/** A telling process of which the search of the nights does not end before a test opens the gate. */
import { readFileSync } from 'node:fs';
import { answerQuestions } from '../app/telling-answers.ts';

const [, , database = '', gate = ''] = process.argv;

answerQuestions(database, (teller) => ({
  ...teller,
  changes(history) {
    // As a search does: nothing else is done in this process until somebody has written into the pipe.
    readFileSync(gate);
    return teller.changes(history);
  },
}));
