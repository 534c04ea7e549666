import type {
  AssertionFacts,
  EvidenceFindings,
  MeasuredNumber,
} from '../../harness/core/results/index.ts';
import { html, type Html } from '../html/escape.ts';
import { formatEstimate, formatRatioEstimate } from '../html/number.ts';

interface AskedAnswer {
  readonly mark: string;
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'none';
}

const verdicts: Readonly<Record<EvidenceFindings['verdict'], AskedAnswer>> = {
  confirmed: { mark: '✓', word: 'confirmed', tone: 'good' },
  refuted: { mark: '✗', word: 'refuted', tone: 'bad' },
  inconclusive: { mark: '?', word: 'inconclusive', tone: 'warn' },
  'not-testable': { mark: '—', word: 'not testable here', tone: 'none' },
};

const outcomes: Readonly<Record<AssertionFacts['outcome'], AskedAnswer>> = {
  holds: { mark: '✓', word: 'holds', tone: 'good' },
  fails: { mark: '✗', word: 'fails', tone: 'bad' },
  open: { mark: '?', word: 'open', tone: 'warn' },
};

/** The question and its answer: "Claim A4: confirmed". */
export function askedAndAnswered({
  title,
  verdict,
}: Pick<EvidenceFindings, 'title' | 'verdict'>): string {
  return `${title}: ${verdicts[verdict].word}`;
}

/** The verdict as symbol and word. */
export function verdictMark(verdict: EvidenceFindings['verdict']): Html {
  return answer(verdicts[verdict]);
}

/** The outcome of an assertion, as symbol and word. */
export function outcomeMark(outcome: AssertionFacts['outcome']): Html {
  return answer(outcomes[outcome]);
}

function answer({ mark, word, tone }: AskedAnswer): Html {
  return html`<b class="answer ${tone}">${mark} ${word}</b>`;
}

/**
 * A measured number and its interval; the interval is null before there are blocks enough. Where
 * the number lies outside of it, the interval of the last look is added.
 */
export function measuredWords(
  { value, low, high, lastLook }: MeasuredNumber,
  unit: string,
): { readonly value: string; readonly interval: string | null } {
  const bounds = { low: low ?? value, high: high ?? value };
  if (lastLook !== undefined) {
    const all = measuredWords({ value, low, high }, unit);
    const last = measuredWords({ value, ...lastLook }, unit).interval ?? '';
    const words = [
      ...(all.interval === null ? [] : [all.interval]),
      `${last} by the last look alone`,
    ];
    return { value: all.value, interval: words.join('; ') };
  }
  const shown =
    unit === '×'
      ? nameRatio(formatRatioEstimate({ ratio: value, ...bounds }, 0))
      : nameMedian(
          formatEstimate({ median: value, ...bounds }, { unit, resolution: unit === '%' ? 1 : 0 }),
        );
  return { value: shown.value, interval: low === null || high === null ? null : shown.interval };
}

interface ShownNumber {
  readonly value: string;
  readonly interval: string;
}

function nameRatio({ ratio, interval }: { ratio: string; interval: string }): ShownNumber {
  return { value: ratio, interval };
}

function nameMedian({ median, interval }: { median: string; interval: string }): ShownNumber {
  return { value: median, interval };
}

/** A share as per cent: 1 is all of it, and it may lie outside 0 to 1. */
export function asPercent({ value, low, high }: MeasuredNumber): MeasuredNumber {
  const percent = (share: number | null): number | null => (share === null ? null : share * 100);
  return { value: value * 100, low: percent(low), high: percent(high) };
}

/** `2.13×, between 1.98–2.30×`, or that it was not measured. */
export function measuredSentence(measured: MeasuredNumber | null, unit: string): Html {
  if (measured === null) return html`not measured`;
  const { value, interval } = measuredWords(measured, unit);
  const bounds = interval === null ? ', no interval yet' : `, between ${interval}`;
  return html`<b>${value}</b>${bounds}${dividedRatios(measured, ': ')}`;
}

/** `2.17× over 1.75×`: what a change divides; empty for all else. */
export function dividedRatios({ ratios }: MeasuredNumber, before: string): string {
  if (ratios === undefined) return '';
  return before + ratios.map((one) => measuredWords(alone(one), '×').value).join(' over ');
}

function alone(value: number): MeasuredNumber {
  return { value, low: null, high: null };
}
