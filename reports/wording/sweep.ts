import type { SweepFindings, SweepStepFacts } from '../../harness/results/index.ts';
import { formatShare, isTime, plural } from '../html/number.ts';
import { changeInWords } from './change.ts';

/** The changes that a sweep found, a sentence each. */
export function changeSentences(findings: SweepFindings): readonly string[] {
  const { changes, points } = findings;
  return changes.length === 0
    ? [`No change between ${plural(points.length, 'build')} is decided.`]
    : changes.map((step) => changeSentence(step, findings));
}

/** What is not known of the builds of a sweep, and what disturbed it. */
export function restSentences(findings: SweepFindings): readonly string[] {
  const { open, leftOut, notMeasured, quarantined, reference, referenceSpread } = findings;
  return [
    ...(open.length === 0
      ? []
      : [`Not decided: ${open.map(({ between }) => between.join(' → ')).join(', ')}.`]),
    ...(notMeasured.length === 0
      ? []
      : [
          `Not measured, as nothing changed around them that is decided: ${notMeasured.join(', ')}.`,
        ]),
    ...leftOut.map(({ build, because }) => `${build} is left out: ${because}`),
    ...(quarantined === 0
      ? []
      : [`${plural(quarantined, 'trial')} did not count, because the machine was disturbed.`]),
    ...(referenceSpread === null
      ? []
      : [
          `Trials of the reference build, ${reference}, spread by ${formatShare(referenceSpread)}.`,
        ]),
  ];
}

/** "2.1× faster (1.9 … 2.3×) since chromium@117, after chromium@116". */
export function changeSentence(
  step: SweepStepFacts,
  { unit, margin }: Pick<SweepFindings, 'unit' | 'margin'>,
): string {
  const words = changeInWords({ ...step, margin, isTime: isTime(unit), moreMinutes: null });
  const [before, since] = step.between;
  return `${words} since ${since}, after ${before}`;
}
