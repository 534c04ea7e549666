import type { CaseRow, Cell, Findings } from '../../harness/core/results/index.ts';
import type { PairVerdict, Verdict } from '../../harness/core/results/verdicts.ts';
import {
  formatCount,
  formatEstimate,
  formatQuantity,
  isTime,
  missingMark,
} from '../html/number.ts';
import { changeInShort } from './change.ts';

export type MeasuredCell = Extract<Cell, { kind: 'measured' }>;

export function isMeasured(cell: Cell): cell is MeasuredCell {
  return cell.kind === 'measured';
}

/** The level of a cell: its centre and interval, or two speeds with their shares and no interval. */
export function describeLevel(
  cell: MeasuredCell,
  unit: string,
): { readonly centre: string; readonly interval: string; readonly speeds: readonly SpeedText[] } {
  const measure = { unit, resolution: cell.resolution };
  const speeds = (cell.speeds ?? []).map(({ value, trials }) => ({
    value: formatQuantity(value, measure),
    share: `${formatCount(trials)} of ${formatCount(cell.trials)}`,
  }));
  if (speeds.length === 0) {
    const { median: centre, interval } = formatEstimate({ ...cell, median: cell.centre }, measure);
    return { centre, interval, speeds };
  }
  const centre = speeds.map(({ value, share }) => `${value} (${share})`).join(' or ');
  return { centre, interval: missingMark, speeds };
}

/** The level in a cell of a table: its centre, or its two speeds without their shares. */
export function describeShortLevel(cell: MeasuredCell, unit: string): string {
  const { centre, speeds } = describeLevel(cell, unit);
  return speeds.length === 0 ? centre : speeds.map(({ value }) => value).join(' or ');
}

interface SpeedText {
  readonly value: string;
  /** Of the trials: `6 of 8`. */
  readonly share: string;
}

/** A pair with the row of its first side, which stands in the comparison table. */
export interface PlacedPair {
  readonly pair: PairVerdict;
  readonly row: CaseRow;
  /** Place of the row in the findings. */
  readonly index: number;
  /** The measured cells of both sides: in one row unless the sides run different cases. */
  readonly a: MeasuredCell;
  readonly b: MeasuredCell;
}

/**
 * The rows that tell what happened: the first metric of each case, because others mostly show the same
 * effect again. Of versions of a page all: each measure was asked for.
 */
export function tellingRows({ rows, verdicts }: Findings): readonly CaseRow[] {
  if (verdicts.baselineVersion !== undefined) return rows;
  return [...new Map(rows.toReversed().map((row) => [row.caseName, row])).values()].toReversed();
}

/** Every pair whose sides both stand in the table. */
export function placedPairs({ rows, verdicts }: Findings): readonly PlacedPair[] {
  const cells = new Map(
    rows.flatMap((row, index) =>
      row.cells
        .filter(isMeasured)
        .map((cell) => [keyOf(row.caseName, row.metric, cell.targetId), { row, index, cell }]),
    ),
  );
  return verdicts.pairs.flatMap((pair) => {
    const a = cells.get(keyOf(pair.a.caseName, pair.metric, pair.a.targetId));
    const b = cells.get(keyOf(pair.b.caseName, pair.metric, pair.b.targetId));
    if (a === undefined || b === undefined) return [];
    return [{ pair, row: a.row, index: a.index, a: a.cell, b: b.cell }];
  });
}

/** Finds the pair of which a cell is the first side. */
export type PairOf = (row: CaseRow, cell: Cell) => PlacedPair | undefined;

export function indexPairs(pairs: readonly PlacedPair[]): PairOf {
  const known = new Map(
    pairs.map((one) => [keyOf(one.row.caseName, one.row.metric, one.a.targetId), one]),
  );
  return (row, cell) => known.get(keyOf(row.caseName, row.metric, cell.targetId));
}

function keyOf(caseName: string, metric: string, targetId: string): string {
  return `${caseName}\n${metric}\n${targetId}`;
}

/** Tells whether there are enough blocks, or trials of two runs, for any verdict. */
export function isDecidable({ pair }: PlacedPair): boolean {
  return pair.because !== 'too-few-blocks' && pair.because !== 'too-few-trials';
}

/** Tells whether other devices are compared with this one. */
export function isBaseline({ targets, verdicts }: Findings, targetId: string): boolean {
  const { baselineTargetId, baselineRun } = verdicts;
  if (baselineRun === undefined) return targetId === baselineTargetId;
  return targets.some(({ id, run }) => id === targetId && run === baselineRun);
}

/** The verdict that the table supports: a difference that does not stand among all of them is open. */
export function findVerdict({ verdict, discovery }: PairVerdict): Verdict {
  const isDifference = verdict === 'faster' || verdict === 'slower';
  return isDifference && !discovery ? 'undecided' : verdict;
}

/** "10 % slower", "same", "not decided". */
export function differenceWords(pair: PairVerdict): string {
  const { ratio, unit } = pair;
  return changeInShort({ verdict: findVerdict(pair), ratio, isTime: isTime(unit) });
}

/** The result of an undecided pair until now: "≈ 12 % slower". */
export function seenSoFar({ ratio, unit }: Pick<PairVerdict, 'ratio' | 'unit'>): string {
  // "0.3 % slower" reads as a difference where none is known.
  if (Math.abs(Math.log(ratio)) < 0.005) return '≈ the same';
  const verdict = ratio > 1 ? 'slower' : 'faster';
  return `≈ ${changeInShort({ verdict, ratio, isTime: isTime(unit) })}`;
}

/** "10 % slower", or of an undecided pair "not decided, ≈ 12 % slower so far". */
export function outcomeSoFar(pair: PairVerdict): string {
  const words = differenceWords(pair);
  return findVerdict(pair) === 'undecided' ? `${words}, ${seenSoFar(pair)} so far` : words;
}

/** Pairs that differ by their verdict, those with the surest large difference first. */
export function decidedDifferences(pairs: readonly PlacedPair[]): readonly PlacedPair[] {
  return pairs
    .filter(({ pair }) => ['faster', 'slower'].includes(findVerdict(pair)))
    .toSorted((one, other) => leastChange(other.pair) - leastChange(one.pair));
}

/** |ln| of the bound that is nearer to 1. */
function leastChange({ low, high }: PairVerdict): number {
  return Math.min(Math.abs(Math.log(low ?? 1)), Math.abs(Math.log(high ?? 1)));
}

/** Pairs without a verdict in which no trial of one side lies among those of the other. */
export function seenDifferences(pairs: readonly PlacedPair[]): readonly PlacedPair[] {
  return pairs
    .filter((one) => !isDecidable(one))
    .map((one) => ({ one, gap: gapOf(one) }))
    .filter(({ gap }) => gap > 1)
    .toSorted((first, second) => second.gap - first.gap)
    .map(({ one }) => one);
}

/** Ratio of the nearest trials of both sides; above 1 they are apart. */
function gapOf({ a, b }: PlacedPair): number {
  const [least, most] = [Math.min(...a.values), Math.max(...a.values)];
  const [leastOther, mostOther] = [Math.min(...b.values), Math.max(...b.values)];
  return Math.max(least / mostOther, leastOther / most);
}

/** The rows whose medians are farthest apart first; it orders figures, and claims nothing. */
export function rowsByDistance(rows: readonly CaseRow[]): readonly CaseRow[] {
  const distance = (row: CaseRow): number => {
    const medians = row.cells.filter(isMeasured).map((cell) => cell.centre);
    const positive = medians.filter((median) => median > 0);
    return positive.length < 2 ? 0 : Math.max(...positive) / Math.min(...positive);
  };
  return rows.toSorted((a, b) => distance(b) - distance(a));
}

/** The short name of a case, by its canonical one; that itself where the report has no such row. */
export function caseLabel(rows: readonly CaseRow[], caseName: string): string {
  return rows.find((row) => row.caseName === caseName)?.label ?? caseName;
}
