import type { CaseRow, Cell, Findings } from './findings.ts';
import { formatConfidence, formatCount, missingMark } from './html/number.ts';
import {
  indexPairs,
  isBaseline,
  isDecidable,
  levelOf,
  placedPairs,
  verdictOf,
  type MeasuredCell,
  type PairOf,
} from './sections/difference.ts';
import { plain } from './pair-text.ts';
import { legendOf, type Legend } from './sections/legend.ts';
import { notesOf, ratioOf, verdictText } from './sections/verdict-words.ts';

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
  const pairs = placedPairs(findings);
  const shared = {
    ...{ legend, findings, pairOf: indexPairs(pairs) },
    decidable: pairs.some(isDecidable),
  };
  return findings.rows.map((row) => ({
    title: plain(`${row.caseName}  ${row.metric}, ${row.direction} is better`),
    columns,
    rows: row.cells.map((cell) => cellText(cell, { ...shared, row })),
  }));
}

interface Setting {
  readonly row: CaseRow;
  readonly legend: Legend;
  readonly pairOf: PairOf;
  readonly findings: Findings;
  /** Whether any pair has blocks enough for a verdict; without one no line speaks of verdicts. */
  readonly decidable: boolean;
}

function cellText(cell: Cell, setting: Setting): readonly string[] {
  const name = setting.legend(cell.targetId).label;
  if (cell.kind === 'missing') return [name, `${missingMark} ${cell.why}`, '', '', ''].map(plain);
  const { unit } = setting.row;
  const { median, interval, speeds } = levelOf(cell, unit);
  const sure =
    speeds.length === 0 && cell.confidence < 0.95 - 1e-9
      ? ` (${formatConfidence(cell.confidence)} sure)`
      : '';
  return [
    [name, ...cell.unsteady.map(({ label }) => label)].join(', '),
    median,
    `${interval}${sure}`,
    relation(cell, setting),
    trials(cell),
  ].map(plain);
}

function trials({ trials: shown, quarantined = [], fromQuarantined }: MeasuredCell): string {
  if (quarantined.length === 0) return formatCount(shown);
  if (fromQuarantined === true) return `${formatCount(shown)}, all quarantined`;
  return `${formatCount(shown)}, ${formatCount(quarantined.length)} quarantined`;
}

/** As in the report's table, with what stands small there in brackets. */
function relation(cell: MeasuredCell, setting: Setting): string {
  const { row, pairOf, findings, decidable } = setting;
  if (isBaseline(findings, cell.targetId)) return 'baseline';
  const placed = pairOf(row, cell);
  if (placed === undefined) return missingMark;
  const word = decidable ? `${verdictText(verdictOf(placed.pair))} ` : '';
  const notes = notesOf(placed, findings.verdicts).join(', ');
  return `${word}${ratioOf(placed).ratio} (${notes})`;
}
