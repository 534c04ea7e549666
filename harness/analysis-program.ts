/** The program of the process of `analysis-process.ts`; its argument is the database. */
import './features.ts';
import { answerQuestions } from './features/explorer/analysis-answers.ts';

answerQuestions(process.argv[2] ?? '');
