/** The program of the process of `analysis-process.ts`; its argument is the database. */
import { answerQuestions } from './analysis-answers.ts';

answerQuestions(process.argv[2] ?? '');
