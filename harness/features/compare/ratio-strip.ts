/** The ratio of each block as a line of text, for a terminal and for Markdown. */
import { formatRatioTick } from '../../../reports/html/number.ts';
import { makeRatioAxis } from '../../../reports/html/duel.ts';

export interface RatioLine {
  /** Ratios of a version to the first one, in the order of their blocks. */
  readonly blocks: readonly number[];
  /** Null before there are enough blocks. */
  readonly low: number | null;
  readonly high: number | null;
}

const width = 24;
/** One block, two or three blocks, more blocks in a column. */
const marks = ['·', '•', '●'] as const;

/** The strips of all lines on one axis, and what a reader must know to read them. */
export interface RatioStrips {
  readonly strips: readonly string[];
  readonly key: string;
}

/** Draws lines on one axis: a mark is a block, brackets hold the interval, a bar stands at 1. */
export function drawRatioStrips(lines: readonly RatioLine[], margin: number): RatioStrips {
  const seen = lines.flatMap(({ blocks, low, high }) => [
    ...blocks,
    ...(low === null || high === null ? [] : [low, high]),
  ]);
  const { from, to } = makeRatioAxis(seen, margin);
  const place = (ratio: number): number => {
    const share = Math.log(ratio / from) / Math.log(to / from);
    return Math.round(Math.min(1, Math.max(0, share)) * (width - 1));
  };
  const ends = [from, to].map((end) => formatRatioTick(Number(end.toPrecision(3))));
  return {
    strips: lines.map((line) => drawStrip(line, place)),
    key: `blocks: each · is one, from ${ends.join(' to ')}; │ is 1×, [ ] the interval`,
  };
}

function drawStrip({ blocks, low, high }: RatioLine, place: (ratio: number) => number): string {
  const columns: string[] = Array.from({ length: width }, () => ' ');
  columns[place(1)] = '│';
  const counts = new Map<number, number>();
  for (const ratio of blocks) counts.set(place(ratio), (counts.get(place(ratio)) ?? 0) + 1);
  for (const [column, count] of counts)
    columns[column] = marks[count === 1 ? 0 : count < 4 ? 1 : 2];
  if (low === null || high === null) return columns.join('').trimEnd();
  // On top: among many blocks the interval is what one looks for. At an end stand blocks from beyond it.
  const isFree = (column: number): boolean =>
    (column > 0 && column < width - 1) || !counts.has(column);
  if (isFree(place(low))) columns[place(low)] = '[';
  if (isFree(place(high))) columns[place(high)] = ']';
  return columns.join('').trimEnd();
}
