import type { SweepFindings, SweepStepFacts } from '../findings/index.ts';
import { formatShare, isTime, plural } from '../html/number.ts';
import { changeInWords } from './change.ts';

/** What a sweep found, a sentence each: its changes first, then what is not known. */
export function sweepSentences(findings: SweepFindings): readonly string[] {
  const { changes, open, leftOut, notMeasured, points, quarantined, reference, referenceSpread } =
    findings;
  return [
    ...(changes.length === 0
      ? [`No change between ${plural(points.length, 'build')} is decided.`]
      : changes.map((step) => changeSentence(step, findings))),
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
      : [
          `${plural(quarantined, 'trial')} did not count: something else used the machine (npx farm doctor).`,
        ]),
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
