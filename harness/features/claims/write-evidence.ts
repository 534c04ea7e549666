import { join, resolve } from 'node:path';
import type { EvidenceFindings } from '../../results/index.ts';
import type { Question } from '../../model/question.ts';
import { farmVersion, reportsFolder } from '../../project.ts';
import { pickNumbers } from '../bundles/bundle/format.ts';
import { writeBundle } from '../bundles/bundle/write.ts';
import { writeWhole } from '../../app/records.ts';
import type { QuestionAnswer } from './measure-question.ts';

interface EvidencePlace {
  /** Where to write it; among the reports of the database when left out. */
  readonly out?: string | undefined;
  readonly database: string;
  /** Its name there. */
  readonly name: string;
}

/** Writes the evidence report. @returns its absolute path, and its text. @throws FarmError `cannot-write`. */
export async function writeEvidence(
  evidence: EvidenceFindings,
  { out, database, name }: EvidencePlace,
): Promise<{ readonly path: string; readonly html: string }> {
  const { renderEvidence } = await import('../../../reports/evidence.ts');
  const html = await renderEvidence(evidence);
  const path = resolve(out ?? join(reportsFolder(database), name));
  await writeWhole(path, html);
  return { path, html };
}

interface BundledAnswer {
  readonly question: Question;
  readonly answer: Pick<QuestionAnswer, 'record' | 'judgement'>;
  /** The evidence report. */
  readonly html: string;
  /** The folder of pages that the run was served from. */
  readonly pages: string;
}

/** Writes the measurement as a bundle, to be replayed anywhere. @returns its absolute path. */
export async function bundleAnswer(
  file: string,
  { question, answer, html, pages }: BundledAnswer,
): Promise<string> {
  const { record, judgement } = answer;
  const path = resolve(file);
  await writeBundle(path, {
    question,
    record,
    numbers: pickNumbers(judgement),
    evidenceHtml: html,
    pagesFolder: resolve(pages),
    farmVersion: farmVersion(),
    command: record.run.command,
  });
  return path;
}
