import { formatThreeDigits } from '../../../reports/html/number.ts';
import { caseName, type MeasurementRules } from '../model/case.ts';
import type { Question } from '../model/question.ts';
import type { Decision } from './stats/verdict.ts';
import type { Pair } from './pairs.ts';

export interface Finding {
  readonly pair: Pair;
  readonly decision: Decision;
  readonly run: number;
  /** The description that the user saved with it. */
  readonly sentence: string;
  readonly measurement: MeasurementRules;
}

/**
 * Returns whether a comparison found a difference with a direction, which can be measured again.
 */
export function isFinding({ verdict, low, high }: Decision): boolean {
  return (verdict === 'faster' || verdict === 'slower') && low !== null && high !== null;
}

/**
 * Makes a question of a found difference: is it on the same side of 1 again, and as large? The id
 * and the title come with the anomaly's number.
 */
export function anomalyQuestion({
  pair,
  decision,
  run,
  sentence,
  measurement,
}: Finding): Omit<Question, 'id' | 'title'> {
  const { a, b, metric } = pair;
  const { ratio, low, high, blocks } = decision;
  const isLarger = ratio > 1;
  const figures = `${formatThreeDigits(ratio)}× (${formatThreeDigits(low ?? NaN)} … ${formatThreeDigits(high ?? NaN)}, ${String(blocks)} blocks)`;
  const sides = `${a.deviceId}, ${caseName(a.case)}, against ${b.deviceId}, ${caseName(b.case)}`;
  return {
    sentence,
    source: `this farm, run ${String(run)}`,
    published: `${metric.title.toLowerCase()} of ${sides}: ${figures}`,
    assertions: [
      {
        kind: 'ratio',
        sentence: `${metric.title.toLowerCase()} is ${isLarger ? 'larger' : 'smaller'} in ${a.deviceId} than in ${b.deviceId}`,
        role: 'verdict',
        quantity: metric.id,
        expected: isLarger ? { above: 1 } : { below: 1 },
        published: { text: figures, low, high },
        a,
        b,
      },
    ],
    counterfactuals: [],
    notes: [],
    measurement,
  };
}
