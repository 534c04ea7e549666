import type { CaseRow, Cell, Findings } from './findings.ts';
import { printable } from './html/escape.ts';
import { formatConfidence, formatCount, formatEstimate, missingMark } from './html/number.ts';
import {
  indexPairs,
  isBaseline,
  isDecidable,
  placedPairs,
  verdictOf,
  type PairOf,
} from './sections/difference.ts';
import { legendOf, type Legend } from './sections/legend.ts';
import { behind, openReason, ratioOf, relevanceOf, verdictText } from './sections/verdict-words.ts';

/** A table of plain text; its title is the case, and every row is one target. */
export interface TextTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const columns = ['target', 'median', 'interval', 'against the baseline', 'trials'] as const;

/**
 * The comparison table of the report as text, for a terminal: the same numbers and the same words.
 * What cannot be seen is stripped from all names.
 */
export function comparisonText(findings: Findings): readonly TextTable[] {
  const legend = legendOf(findings.targets);
  const pairOf = indexPairs(placedPairs(findings));
  return findings.rows.map((row) => ({
    title: plain(`${row.caseName}  ${row.metric}, ${row.direction} is better`),
    columns,
    rows: row.cells.map((cell) => cellText(cell, { row, legend, pairOf, findings })),
  }));
}

interface Setting {
  readonly row: CaseRow;
  readonly legend: Legend;
  readonly pairOf: PairOf;
  readonly findings: Findings;
}

function cellText(cell: Cell, setting: Setting): readonly string[] {
  const name = setting.legend(cell.targetId).label;
  if (cell.kind === 'missing') return [name, `${missingMark} ${cell.why}`, '', '', ''].map(plain);
  const { unit } = setting.row;
  const { median, interval } = formatEstimate(cell, { unit, resolution: cell.resolution });
  const sure = cell.confidence < 0.95 - 1e-9 ? ` (${formatConfidence(cell.confidence)} sure)` : '';
  return [
    [name, ...cell.unsteady.map(({ label }) => label)].join(', '),
    median,
    `${interval}${sure}`,
    relation(cell, setting),
    trials(cell),
  ].map(plain);
}

function trials({ trials: counted, quarantined = 0 }: Extract<Cell, { kind: 'measured' }>): string {
  if (quarantined === 0) return formatCount(counted);
  return `${formatCount(counted)}, ${formatCount(quarantined)} quarantined`;
}

function relation(cell: Extract<Cell, { kind: 'measured' }>, setting: Setting): string {
  const { row, pairOf, findings } = setting;
  if (isBaseline(findings, cell.targetId)) return 'baseline';
  const placed = pairOf(row, cell);
  if (placed === undefined) return missingMark;
  const { ratio, interval } = ratioOf(placed);
  if (!isDecidable(placed)) {
    return `${ratio} (${openReason(placed.pair, findings.verdicts)})`;
  }
  const notes = [
    interval ?? '',
    placed.pair.blocks === cell.trials ? '' : behind(placed.pair),
    openReason(placed.pair, findings.verdicts),
    relevanceOf(placed.pair),
  ].filter((note) => note !== '');
  return `${verdictText(verdictOf(placed.pair))} ${ratio} (${notes.join(', ')})`;
}

function plain(text: string): string {
  return printable(text).replaceAll('\u00a0', ' ');
}
