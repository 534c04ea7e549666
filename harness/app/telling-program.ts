/** What the process of `telling-process.ts` runs; its argument is the database. */
import { answerQuestions } from './telling-answers.ts';

answerQuestions(process.argv[2] ?? '');
