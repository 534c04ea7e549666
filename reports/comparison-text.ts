/** A comparison as text, for a terminal and for a script: its table, one pair, and the sentences of its first screen. */
import type { CaseRow, Cell, Findings } from '../harness/core/results/index.ts';
import type { PairVerdict } from '../harness/core/results/verdicts.ts';
import type { Side } from '../harness/core/results/verdicts.ts';
import { printable } from './html/escape.ts';
import {
  formatConfidence,
  formatCount,
  missingMark,
  formatLevel,
  formatRatioEstimate,
  isTime,
  plural,
} from './html/number.ts';
import { readText, type TextBlock } from './html/text.ts';
import { differenceList } from './sections/difference-list.ts';
import { changeInWords } from './wording/change.ts';
import {
  decidedDifferences,
  tellingRows,
  indexPairs,
  isBaseline,
  isDecidable,
  describeLevel,
  describeShortLevel,
  placedPairs,
  findVerdict,
  type MeasuredCell,
  type PairOf,
} from './wording/difference.ts';
import { tellingPairs } from './wording/headline.ts';
import { makeLegend, type Legend } from './wording/legend.ts';
import { pairSentences, pairWhy } from './sections/pair-outcome.ts';
import { inShort } from './sections/summary.ts';
import {
  listNotes,
  openReason,
  describeRatio,
  describeRelevance,
  describeOutcome,
  verdictText,
} from './wording/verdicts.ts';
import { npxCrossfarm } from '../harness/core/model/typed-command.ts';

/** A table of plain text; its title is the case, and every row is one target. */
export interface TextTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const columns = ['browser', 'typical', 'interval', 'against the baseline', 'trials'] as const;

/**
 * The comparison table of the report as text, for a terminal: the same numbers and the same words.
 * Invisible characters are stripped from all names.
 */
export function comparisonText(findings: Findings): readonly TextTable[] {
  const legend = makeLegend(findings.targets);
  const pairs = placedPairs(findings);
  const shared = {
    legend,
    findings,
    pairOf: indexPairs(pairs),
    decidable: pairs.some(isDecidable),
  };
  return findings.rows.map((row) => ({
    title: plain(`${row.caseName}  ${row.metric}, ${row.direction} is better`),
    columns,
    rows: row.cells.map((cell) => cellText(cell, { ...shared, row })),
  }));
}

/**
 * The first metric of every case at a glance: the baseline's typical value, and how each other
 * device compares with it; without one baseline for all devices the values of each. Null where
 * nothing was measured.
 */
export function overviewText(findings: Findings): TextTable | null {
  const { targets, verdicts } = findings;
  const measured = targets.filter(({ id }) => hasValues(findings, id));
  const baseline = measured.find(({ id }) => id === verdicts.baselineTargetId);
  if (measured.length === 0) return null;
  const shown =
    baseline === undefined ? measured : [baseline, ...measured.filter((one) => one !== baseline)];
  const legend = makeLegend(targets);
  const pairOf = indexPairs(placedPairs(findings));
  const cellOf = (row: CaseRow, id: string): string => {
    const cell = row.cells.find(({ targetId }) => targetId === id);
    if (cell === undefined || cell.kind === 'missing') return missingMark;
    if (baseline === undefined || id === baseline.id) return describeShortLevel(cell, row.unit);
    const placed = pairOf(row, cell);
    return placed === undefined ? missingMark : describeOutcome(placed);
  };
  return {
    title: '',
    columns: ['', ...shown.map(({ id }) => plain(legend(id).label))],
    rows: tellingRows(findings).map((row) => [
      plain(row.label),
      ...shown.map(({ id }) => plain(cellOf(row, id))),
    ]),
  };
}

function hasValues({ rows }: Findings, id: string): boolean {
  return rows.some(({ cells }) =>
    cells.some(({ targetId, kind }) => targetId === id && kind === 'measured'),
  );
}

/** The surest of the large differences, and how it is measured again by itself. */
export interface Striking {
  readonly sentence: string;
  readonly command: string;
}

/** Null where no difference is decided. */
export function strikingText(findings: Findings): Striking | null {
  const [placed] = decidedDifferences(tellingPairs(findings, placedPairs(findings)));
  if (placed === undefined) return null;
  const { pair, row } = placed;
  const legend = makeLegend(findings.targets);
  const [a, b] = [legend(pair.a.targetId), legend(pair.b.targetId)];
  const isTimed = isTime(pair.unit);
  const { ratio, low, high } = pair;
  const change = { verdict: findVerdict(pair), ratio, low, high, isTime: isTimed };
  const words = changeInWords({ ...change, margin: findings.verdicts.margin, moreMinutes: null });
  const parameters = Object.entries(row.parameters).map(
    ([name, value]) => ` --param ${name}=${String(value)}`,
  );
  return {
    sentence: plain(`${row.label}: ${a.label} is ${words} than ${b.label}`),
    command: `${npxCrossfarm} compare ${a.id} ${b.id} --bench ${row.benchmark}${parameters.join('')}`,
  };
}

interface Setting {
  readonly row: CaseRow;
  readonly legend: Legend;
  readonly pairOf: PairOf;
  readonly findings: Findings;
  /**
   * True where any pair has enough blocks for a verdict; without one no line speaks of verdicts.
   */
  readonly decidable: boolean;
}

function cellText(cell: Cell, setting: Setting): readonly string[] {
  const name = setting.legend(cell.targetId).label;
  if (cell.kind === 'missing') return [name, `${missingMark} ${cell.why}`, '', '', ''].map(plain);
  const { unit } = setting.row;
  const { centre, interval, speeds } = describeLevel(cell, unit);
  const sure =
    speeds.length === 0 && cell.confidence < 0.95 - 1e-9
      ? ` (${formatConfidence(cell.confidence)} sure)`
      : '';
  return [
    [name, ...drawing(cell), ...cell.unsteady.map(({ label }) => label)].join(', '),
    centre,
    `${interval}${sure}`,
    relation(cell, setting),
    trials(cell),
  ].map(plain);
}

function drawing({ drawnBy }: MeasuredCell): readonly string[] {
  return drawnBy === undefined ? [] : [`drawn by ${drawnBy}`];
}

function trials({ trials: shown, quarantined = [], fromQuarantined }: MeasuredCell): string {
  if (quarantined.length === 0) return formatCount(shown);
  if (fromQuarantined === true) return `${formatCount(shown)}, all excluded`;
  return `${formatCount(shown)}, ${formatCount(quarantined.length)} excluded`;
}

/** As in the report's table, with its small text in brackets. */
function relation(cell: MeasuredCell, setting: Setting): string {
  const { row, pairOf, findings, decidable } = setting;
  if (isBaseline(findings, cell.targetId)) return 'baseline';
  const placed = pairOf(row, cell);
  if (placed === undefined) return missingMark;
  const word = decidable ? `${verdictText(findVerdict(placed.pair))} ` : '';
  const notes = listNotes(placed, findings.verdicts).join(', ');
  return `${word}${describeRatio(placed).ratio} (${notes})`;
}

/** A verdict on a pair for a terminal. */
export interface VerdictText {
  /** Symbol and word: `▼ slower`. */
  readonly word: string;
  /** The ratio with its interval, and what the word does not say. */
  readonly figures: string;
}

/**
 * Describes the values of both sides of the run's pair, which divide to their ratio; or why one has
 * nothing.
 */
export function sidesText(
  findings: Findings,
  sides: Readonly<Record<'a' | 'b', Side>>,
  metric: string,
): Readonly<Record<'a' | 'b', string>> {
  const [placed] = placedPairs(findings);
  if (placed === undefined) {
    const { a, b } = sides;
    return { a: sideText(findings, a, metric), b: sideText(findings, b, metric) };
  }
  const { unit } = placed.row;
  const text = (letter: 'a' | 'b'): string =>
    plain(`${describeLevel(placed[letter], unit).centre} over ${trialsText(placed[letter])}`);
  return { a: text('a'), b: text('b') };
}

/** The typical value of one side, over its trials that count, or why it is missing. */
function sideText({ rows }: Findings, { targetId, caseName }: Side, metric: string): string {
  const row = rows.find((one) => one.caseName === caseName && one.metric === metric);
  const cell = row?.cells.find((one) => one.targetId === targetId);
  if (row === undefined || cell === undefined) return `${missingMark} not planned`;
  if (cell.kind === 'missing') return plain(`${missingMark} ${cell.why}`);
  return plain(`${describeLevel(cell, row.unit).centre} over ${trialsText(cell)}`);
}

/** Where no trial counts, the table shows the excluded ones. */
function trialsText({ trials: count, fromQuarantined }: MeasuredCell): string {
  return plural(count, fromQuarantined === true ? 'excluded trial' : 'trial');
}

/**
 * The verdict on a pair as the first screen of the report has it: the same numbers, by the same
 * formatters. Null when a side of it has no trial.
 */
export function pairText(findings: Findings, pair: PairVerdict): VerdictText | null {
  const verdicts = { ...findings.verdicts, pairs: [pair] };
  const [placed] = placedPairs({ ...findings, verdicts });
  if (placed === undefined) return null;
  const { ratio, interval } = describeRatio(placed);
  const range = interval === null ? 'no interval yet' : `${interval} at every look`;
  const notes = [openReason(pair, verdicts), describeRelevance(pair)].filter((note) => note !== '');
  return {
    word: verdictText(findVerdict(pair)),
    figures: plain([`a / b = ${ratio} (${range})`, ...notes].join('; ')),
  };
}

/** The verdict on the CPU time of a pair, of the section on the steady state. */
export function cpuTimeText({ verdicts }: Findings, pair: PairVerdict): VerdictText {
  const { ratio, low, high } = pair;
  const shown = formatRatioEstimate({ ratio, low: low ?? ratio, high: high ?? ratio }, 0);
  const range = low === null ? 'no interval yet' : shown.interval;
  const notes = [openReason(pair, verdicts), describeRelevance(pair)].filter((note) => note !== '');
  return {
    word: verdictText(findVerdict(pair)),
    figures: plain([`a / b = ${shown.ratio} (${range})`, ...notes].join('; ')),
  };
}

/** The margin and α of the verdicts. */
export function rulesText({ margin, alpha }: Findings['verdicts']): string {
  return plain(`margin ± ${formatLevel(margin)}, α = ${formatLevel(alpha)}`);
}

/** Without what cannot be seen, and with plain spaces, which a terminal can break and a reader search. */
function plain(text: string): string {
  return printable(text).replaceAll('\u00a0', ' ');
}

export type { TextBlock };

/** The sentences of the report's first screen: what was measured, each difference with its certainty, and what was seen with it. */
export function leadText(findings: Findings): Promise<readonly TextBlock[]> {
  const legend = makeLegend(findings.targets);
  const pair = pairSentences(findings, legend);
  const found = pair === false ? differenceList(findings, legend) : pair;
  return readText(inShort(findings, { legend, found }));
}

/**
 * Of a run that compared one pair: what was seen with its difference; empty without a difference.
 */
export async function whyText(findings: Findings): Promise<readonly TextBlock[]> {
  const why = pairWhy(findings, makeLegend(findings.targets));
  return why === false ? [] : readText(why);
}
