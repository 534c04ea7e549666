import type { Findings, PairVerdict, Side } from './findings.ts';
import { printable } from './html/escape.ts';
import { formatLevel, formatRatioEstimate, missingMark, plural } from './html/number.ts';
import { levelOf, placedPairs, verdictOf } from './sections/difference.ts';
import { openReason, ratioOf, relevanceOf, verdictText } from './sections/verdict-words.ts';

/** A verdict on a pair for a terminal. */
export interface VerdictText {
  /** Symbol and word: `▼ slower`. */
  readonly word: string;
  /** The ratio with its interval, and what the word does not say. */
  readonly figures: string;
}

/** The median of one side, over all its trials that count, or why it has none. */
export function sideText({ rows }: Findings, { targetId, caseName }: Side, metric: string): string {
  const row = rows.find((one) => one.caseName === caseName && one.metric === metric);
  const cell = row?.cells.find((one) => one.targetId === targetId);
  if (row === undefined || cell === undefined) return `${missingMark} not planned`;
  if (cell.kind === 'missing') return plain(`${missingMark} ${cell.why}`);
  const { median } = levelOf(cell, row.unit);
  // Where none counts, the table shows those that were set aside in their place.
  const noun = cell.fromQuarantined === true ? 'quarantined trial' : 'trial';
  return plain(`median ${median} over ${plural(cell.trials, noun)}`);
}

/**
 * The verdict on a pair as the first screen of the report has it: the same numbers, by the same
 * formatters. Null when a side of it has no trial.
 */
export function pairText(findings: Findings, pair: PairVerdict): VerdictText | null {
  const verdicts = { ...findings.verdicts, pairs: [pair] };
  const [placed] = placedPairs({ ...findings, verdicts });
  if (placed === undefined) return null;
  const { ratio, interval } = ratioOf(placed);
  const range = interval === null ? 'no interval yet' : `${interval} at every look`;
  const notes = [openReason(pair, verdicts), relevanceOf(pair)].filter((note) => note !== '');
  return {
    word: verdictText(verdictOf(pair)),
    figures: plain([`a / b = ${ratio} (${range})`, ...notes].join('; ')),
  };
}

/** The verdict on the CPU time of a pair, of the section on the steady state. */
export function cpuTimeText({ verdicts }: Findings, pair: PairVerdict): VerdictText {
  const { ratio, low, high } = pair;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, 0);
  const range = low === null ? 'no interval yet' : shown.interval;
  const notes = [openReason(pair, verdicts), relevanceOf(pair)].filter((note) => note !== '');
  return {
    word: verdictText(verdictOf(pair)),
    figures: plain([`a / b = ${shown.ratio} (${range})`, ...notes].join('; ')),
  };
}

/** What verdicts hold for: the margin and α. */
export function rulesText({ margin, alpha }: Findings['verdicts']): string {
  return plain(`margin ± ${formatLevel(margin)}, α = ${formatLevel(alpha)}`);
}

/** Without what cannot be seen, and with plain spaces, which a terminal can break and a reader search. */
export function plain(text: string): string {
  return printable(text).replaceAll('\u00a0', ' ');
}
