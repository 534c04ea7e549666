/** A process of the analysis in which the search of the nights does not end before a test opens the gate. */
import { readFileSync } from 'node:fs';
import { answerQuestions } from '../app/serve/analysis-answers.ts';

const [, , database = '', gate = ''] = process.argv;

answerQuestions(database, (analyst) => ({
  ...analyst,
  changes(history) {
    // As a search does: nothing else is done in this process until somebody has written into the pipe.
    readFileSync(gate);
    return analyst.changes(history);
  },
}));
