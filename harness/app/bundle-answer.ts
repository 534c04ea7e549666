import { resolve } from 'node:path';
import { numbersOf } from '../transfer/bundle/numbers.ts';
import { writeBundle } from '../transfer/bundle/write.ts';
import type { Question } from '../model/question.ts';
import { farmVersion } from '../project.ts';
import type { Answer } from './carry-out-question.ts';

export interface BundledAnswer {
  readonly question: Question;
  readonly answer: Pick<Answer, 'record' | 'judgement'>;
  /** The evidence report. */
  readonly html: string;
  /** The folder of pages that the run was served from. */
  readonly pages: string;
}

/** Writes what was just measured as one file that replays elsewhere; gives its absolute path. */
export async function bundleAnswer(path: string, bundled: BundledAnswer): Promise<string> {
  const { question, answer, html, pages } = bundled;
  const { record, judgement } = answer;
  const absolute = resolve(path);
  await writeBundle(absolute, {
    question,
    record,
    numbers: numbersOf(judgement),
    evidenceHtml: html,
    pagesFolder: resolve(pages),
    farmVersion: farmVersion(),
    command: record.run.command,
  });
  return absolute;
}
