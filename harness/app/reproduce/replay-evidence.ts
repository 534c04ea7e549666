import type { EvidenceFindings } from '../../../reports/findings/evidence.ts';
import type { Writing } from '../../analysis/findings.ts';
import type { Bundle } from '../../transfer/bundle/format.ts';
import type { AssertionNumbers } from '../../transfer/bundle/numbers.ts';
import { describeEvidence } from '../../analysis/claims/evidence.ts';
import { readerOf } from '../../analysis/claims/quantity.ts';
import { figure } from '../../analysis/claims/wording.ts';
import type { Assertion, Published, Question } from '../../model/question.ts';
import type { RunRecord } from '../../model/run.ts';

interface Replayed extends Writing {
  /** With the numbers that this farm makes of its trials. */
  readonly bundle: Bundle;
  /** What was asked here; of the same assertions. */
  readonly question: Question;
  /** What came of it, and what is not the same here, in sentences. */
  readonly notes: readonly string[];
}

/**
 * The evidence of a replay: the numbers of the bundle stand where those of a source would. The verdict
 * is on the bundle's sentence; what the replay as a whole came to is the first note. Pure.
 */
export function describeReplayEvidence(
  record: RunRecord,
  { bundle, question, notes, ...writing }: Replayed,
): EvidenceFindings {
  const { numbers, machine, farmVersion, startedAt } = bundle;
  const asked: Question = {
    ...question,
    source: `a bundle of ${startedAt}, made by crossfarm ${farmVersion} on ${machine.cpuModel}, ${String(machine.logicalCores)} cores, ${machine.system}`,
    published: `in the bundle ${numbers.verdict} after ${String(numbers.blocks)} blocks`,
    assertions: question.assertions.map((assertion, index) => ({
      ...assertion,
      published: thereOf(assertion, numbers.assertions[index]),
    })),
    notes: [...notes, ...question.notes],
  };
  return describeEvidence(record, asked, writing);
}

function thereOf(assertion: Assertion, there: AssertionNumbers | undefined): Published {
  const measured = there?.measured ?? null;
  if (measured === null) return { text: 'not measured in the bundle', low: null, high: null };
  const unit = assertion.kind === 'level' ? readerOf(assertion.quantity, assertion.of).unit : '×';
  const { value, low, high } = measured;
  return { text: figure(measured, unit), low: low ?? value, high: high ?? value };
}
