import { formatPercent, formatThreeDigits } from '../../../../reports/html/number.ts';
import type { MeasuredNumber } from '../../../core/results/index.ts';
import type { Expectation } from '../../../core/model/question.ts';
import type { JudgedAssertion, JudgedCounterfactual, Judgement } from './judge.ts';
import { sizePart, statedSize } from './outcome.ts';
import { chooseReader } from './quantity.ts';

/**
 * Formats `2.13× (1.98 … 2.30)`, `1.56 cores (1.41 … 1.70)`: three digits, because more would not
 * be reproducible.
 */
export function figure(measured: MeasuredNumber | null, unit: string): string {
  if (measured === null) return 'not measured';
  const { value, low, high, lastLook: last } = measured;
  const bounds = low === null || high === null ? 'no interval' : `${digits(low)} … ${digits(high)}`;
  const beside =
    last === undefined ? '' : `; by the last look alone ${digits(last.low)} … ${digits(last.high)}`;
  const [over, under] = (measured.ratios ?? []).map((one) => `${digits(one)}×`);
  const of = over === undefined || under === undefined ? '' : `: ${over} over ${under}`;
  return `${digits(value)}${unitText(unit)} (${bounds}${beside})${of}`;
}

function unitText(unit: string): string {
  return unit === '×' || unit === '' ? unit : ` ${unit}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  return formatThreeDigits(value);
}

export function expectationText({ above, below }: Expectation, unit: string): string {
  const text = (value: number): string => `${digits(value)}${unitText(unit)}`;
  if (above !== undefined && below !== undefined) return `${text(above)} to ${text(below)}`;
  if (above !== undefined) return `above ${text(above)}`;
  if (below !== undefined) return `below ${text(below)}`;
  return 'shown beside';
}

/** The unit of an assertion's number. */
export function findUnit({ assertion }: JudgedAssertion): string {
  if (assertion.kind !== 'level') return '×';
  return chooseReader(assertion.quantity, assertion.of).unit;
}

/**
 * Gives both answers in one line: `direction confirmed, size refuted (larger by a factor of 3.5):
 * 10.5× (9.8 … 11.2), published 2× to 3×`.
 */
export function headlineText(judgement: Judgement): string {
  const { direction, size } = judgement;
  const deciding = decidingOf(judgement);
  const one = tellingOf(deciding);
  if (one === undefined) return 'nothing decides it';
  const parts = [
    ...(direction === 'not published' ? [] : [`direction ${direction}`]),
    size === 'not published' ? 'no size published' : `size ${size}${byHowMuch(one)}`,
  ];
  const who = deciding.length === 1 ? '' : `${one.assertion.sentence}: `;
  return `${parts.join(', ')}: ${who}${figureBeside(one)}`;
}

function decidingOf({ assertions }: Judgement): readonly JudgedAssertion[] {
  return assertions.filter(({ assertion }) => assertion.role === 'verdict');
}

/**
 * Finds the assertion for the headline: one that fails, else an open one, else one whose size
 * differs.
 */
function tellingOf(deciding: readonly JudgedAssertion[]): JudgedAssertion | undefined {
  const first = (is: (one: JudgedAssertion) => boolean): JudgedAssertion | undefined =>
    deciding.find(is);
  return (
    first(({ outcome }) => outcome === 'fails') ??
    first(({ outcome }) => outcome === 'open') ??
    first(({ size }) => sizePart(size) === 'refuted') ??
    first(({ size }) => size === 'open') ??
    deciding[0]
  );
}

function byHowMuch(one: JudgedAssertion): string {
  return one.size === 'smaller' || one.size === 'larger' ? ` (${sizeWord(one)})` : '';
}

function figureBeside(one: JudgedAssertion): string {
  const measured = figure(one.measured, findUnit(one));
  return one.size === 'not published' ? measured : `${measured}, published ${publishedText(one)}`;
}

/** Adds the expected range if the sentence states a size. */
function publishedText(one: JudgedAssertion): string {
  const { expected, published } = one.assertion;
  if (statedSize(one.assertion) === null) return published.text;
  return `${published.text}, taken as ${expectationText(expected, findUnit(one))}`;
}

/** Says in one sentence whether the direction is as published. */
export function directionText(judgement: Judgement): string {
  const { direction } = judgement;
  if (direction === 'not published') return 'none was published';
  const which = decidingOf(judgement).filter((one) => one.direction === direction);
  if (direction === 'confirmed') return direction;
  const texts = which.map(
    (one) =>
      `${one.assertion.sentence} [${figure(one.measured, findUnit(one))}]${one.equal ? `: ${equalText}` : ''}`,
  );
  return `${direction}: ${texts.join('; ')}`;
}

export const equalText = 'the two are equal within 2 %: no direction can be shown';

/** Compares the measured sizes with the published ones, in one sentence. */
export function sizeText(judgement: Judgement): string {
  const { size } = judgement;
  if (size === 'not published') return 'none was published';
  const sized = decidingOf(judgement).filter((one) => one.size !== 'not published');
  return `${size}: ${sized.map((one) => `${sizeWord(one)}: ${figureBeside(one)}`).join('; ')}`;
}

/** Gives `larger by a factor of 3.5`, relative to the nearer end of the published range. */
function sizeWord(one: JudgedAssertion): string {
  switch (one.size) {
    case 'open':
      return 'not decided whether as published';
    case 'as published':
    case 'not published':
      return one.size;
    case 'smaller':
    case 'larger': {
      const factor = distance(one);
      const isFactor = Number.isFinite(factor) && factor > 1;
      return isFactor
        ? `${one.size} by a factor of ${digits(factor)}`
        : `${one.size} than published`;
    }
  }
}

function distance({ assertion, measured, size }: JudgedAssertion): number {
  const { published, expected } = assertion;
  const value = measured?.value ?? NaN;
  return size === 'larger'
    ? value / (published.high ?? expected.below ?? NaN)
    : (published.low ?? expected.above ?? NaN) / value;
}

/** Says in one sentence what a counterfactual showed. */
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
    return `seems to make up ${formatPercent(value, 0)} of ${what}; too few blocks for an interval`;
  }
  const range = `${formatPercent(low, 0)} … ${formatPercent(high, 0)}`;
  if (low > 0) return `makes up ${formatPercent(value, 0)} (${range}) of ${what}`;
  if (high < 0)
    return `is no cause: without it ${what} grows (${formatPercent(value, 0)}, ${range})`;
  return `is not shown to be a cause: ${formatPercent(value, 0)} (${range}) of ${what} went with it`;
}

/** Gives the sentences about explanations and counterfactuals, with their numbers. */
export function explanationTexts({ assertions, counterfactuals }: Judgement): readonly string[] {
  return [
    ...assertions
      .filter(({ assertion }) => assertion.role === 'explanation')
      .map((one) => `${explanationLead(one)}: ${figure(one.measured, findUnit(one))}`),
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
