import type { Measured } from '../../reports/findings.ts';
import type { Expectation } from '../model/question.ts';
import type { JudgedAssertion, JudgedCounterfactual, Judgement } from './judge.ts';
import { readerOf } from './quantity.ts';

/** `2.13× (1.98 … 2.30)`, `1.56 cores (1.41 … 1.70)`; three digits, as more would not be reproduced. */
export function figure(measured: Measured | null, unit: string): string {
  if (measured === null) return 'not measured';
  const { value, low, high } = measured;
  const bounds = low === null || high === null ? 'no interval' : `${digits(low)} … ${digits(high)}`;
  return `${digits(value)}${unitText(unit)} (${bounds})`;
}

function unitText(unit: string): string {
  return unit === '×' || unit === '' ? unit : ` ${unit}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

/** Share as per cent, whole. */
export function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

export function expectationText({ above, below }: Expectation, unit: string): string {
  const text = (value: number): string => `${digits(value)}${unitText(unit)}`;
  if (above !== undefined && below !== undefined) return `${text(above)} to ${text(below)}`;
  if (above !== undefined) return `above ${text(above)}`;
  if (below !== undefined) return `below ${text(below)}`;
  return 'shown beside';
}

/** The unit of an assertion's number. */
export function unitOf({ assertion }: JudgedAssertion): string {
  if (assertion.kind !== 'level') return '×';
  return readerOf(assertion.quantity, assertion.of).unit;
}

/** Whether the claim's direction holds, in one sentence. */
export function directionText({ verdict, assertions }: Judgement): string {
  const deciding = assertions.filter(({ assertion }) => assertion.role === 'verdict');
  const having = (outcome: JudgedAssertion['outcome']): string =>
    deciding
      .filter((one) => one.outcome === outcome)
      .map((one) => `${one.assertion.sentence} [${figure(one.measured, unitOf(one))}]`)
      .join('; ');
  switch (verdict) {
    case 'confirmed':
      return 'as published';
    case 'refuted':
      return `not as published; what does not hold: ${having('fails')}`;
    case 'inconclusive':
      return `not decided yet: ${having('open')}`;
  }
}

const sizeWords = {
  'as published': 'as published',
  smaller: 'smaller than published',
  larger: 'larger than published',
  open: 'not decided whether as published',
} as const;

/** How the measured sizes stand to the published ones, in one sentence. */
export function sizeText({ assertions }: Judgement): string {
  const sized = assertions.filter(({ assertion }) => assertion.role === 'verdict');
  const texts = sized.flatMap((one) => {
    if (one.size === 'not published') return [];
    const measured = figure(one.measured, unitOf(one));
    return [`${sizeWords[one.size]}: ${measured}, published ${one.assertion.published.text}`];
  });
  return texts.length === 0 ? 'no size was published' : texts.join('; ');
}

/** What a counterfactual came to, in one sentence. */
export function counterfactualText({
  counterfactual,
  explained,
  state,
}: JudgedCounterfactual): string {
  const what =
    counterfactual.effect.kind === 'level' ? 'what lies beyond the first' : 'the distance';
  if (state === 'no-effect') return 'there is no effect that could be explained';
  if (explained === null) return 'not measured';
  const { value, low, high } = explained;
  if (low === null || high === null) {
    return `seems to make up ${percent(value)} of ${what}; too few blocks for an interval`;
  }
  const range = `${percent(low)} … ${percent(high)}`;
  if (low > 0) return `makes up ${percent(value)} (${range}) of ${what}`;
  if (high < 0) return `is no cause: without it ${what} grows (${percent(value)}, ${range})`;
  return `is not shown to be a cause: ${percent(value)} (${range}) of ${what} went with it`;
}

/** The sentences that answer what the claim leaves open, with their numbers. */
export function explanationTexts({ assertions, counterfactuals }: Judgement): readonly string[] {
  return [
    ...assertions
      .filter(({ assertion }) => assertion.role === 'explanation')
      .map((one) => `${explanationLead(one)}: ${figure(one.measured, unitOf(one))}`),
    ...counterfactuals.map(
      (one) =>
        `${one.counterfactual.sentence} (${one.counterfactual.change}): ${counterfactualText(one)}`,
    ),
  ];
}

function explanationLead({ assertion, outcome }: JudgedAssertion): string {
  switch (outcome) {
    case 'holds':
      return assertion.sentence;
    case 'fails':
      return `it is not so that ${assertion.sentence}`;
    case 'open':
      return `not decided whether ${assertion.sentence}`;
  }
}
