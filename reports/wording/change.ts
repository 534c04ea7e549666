/** A difference between two versions, in the words in which people say it. */
import type { Verdict } from '../../harness/core/results/verdicts.ts';
import { formatThreeDigits, plural } from '../html/number.ts';

export interface Change {
  readonly verdict: Verdict;
  /** New over old, and its interval; null before there are enough blocks. */
  readonly ratio: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly margin: number;
  /** The unit is one of time: then it is faster or slower, else higher or lower. */
  readonly isTime: boolean;
  /** The ratio of the means, where it alone keeps two sides from being the same. */
  readonly mean?: Pick<Change, 'ratio' | 'low' | 'high'> | undefined;
  /** About how long the blocks would take that a verdict still needs, in minutes; null when unknown. */
  readonly moreMinutes: number | null;
}

/** From here on a ratio is easier to grasp than a share. */
const timesFrom = 2;

/** "9 % faster (6 … 12 %)", "2.3× slower (2.1 … 2.6×)", "same within 2 %", "not decided, ≈ 6 min more". */
export function changeInWords(change: Change): string {
  const { verdict, margin, moreMinutes } = change;
  switch (verdict) {
    case 'equivalent':
      return `same within ${percent(margin)} %`;
    case 'undecided':
      if (change.mean !== undefined)
        return `typically the same, ${sized({ ...change, ...change.mean })} in the mean`;
      return moreMinutes === null ? 'not decided' : `not decided, ≈ ${minutes(moreMinutes)} more`;
    case 'faster':
    case 'slower':
      return sized(change);
  }
}

/** The same without an interval, for a cell of a table: "6.9× slower", "same", "not decided". */
export function changeInShort(change: Pick<Change, 'verdict' | 'ratio' | 'isTime'>): string {
  const { verdict } = change;
  if (verdict === 'equivalent') return 'same';
  if (verdict === 'undecided') return 'not decided';
  return sized({ ...change, low: null, high: null });
}

function sized({
  ratio,
  low,
  high,
  isTime,
}: Pick<Change, 'ratio' | 'low' | 'high' | 'isTime'>): string {
  const rises = ratio > 1;
  const word = isTime ? (rises ? 'slower' : 'faster') : rises ? 'higher' : 'lower';
  const ends = [low, high].filter((end) => end !== null);
  // Of a fall by more than half the ratio is turned over: "2.3× faster".
  const isTimes = ratio >= timesFrom || ratio <= 1 / timesFrom;
  const sizeOf = (one: number): number => (isTimes ? (rises ? one : 1 / one) : Math.abs(one - 1));
  const sizes = ends.map(sizeOf).sort((a, b) => a - b);
  const text = isTimes ? (size: number) => times(size) : (size: number) => percent(size);
  const [unit, gap] = isTimes ? ['×', ''] : [' %', ''];
  const range = sizes.length === 2 ? ` (${sizes.map(text).join(' … ')}${unit})` : '';
  return `${text(sizeOf(ratio))}${unit}${gap} ${word}${range}`;
}

/** Such as `+8.1 ms (6.9 … 9.4)`. */
export function formatMsChange({
  changeMs,
  low,
  high,
}: {
  readonly changeMs: number;
  readonly low: number | null;
  readonly high: number | null;
}): string {
  const size = (ms: number): string => `${ms < 0 ? '−' : ''}${formatThreeDigits(Math.abs(ms))}`;
  const interval = low === null || high === null ? '' : ` (${size(low)} … ${size(high)})`;
  return `${changeMs > 0 ? '+' : ''}${size(changeMs)} ms${interval}`;
}

function percent(share: number): string {
  const value = 100 * share;
  return value >= 9.95 ? value.toFixed(0) : String(Number(value.toFixed(1)));
}

function times(ratio: number): string {
  return ratio >= 9.95 ? ratio.toFixed(0) : ratio.toFixed(ratio >= 2 ? 1 : 2);
}

function minutes(value: number): string {
  if (value < 1) return 'a minute';
  return value < 90 ? `${value.toFixed(0)} min` : `${(value / 60).toFixed(0)} h`;
}

/** "4 min", for what a sentence says of a duration. */
export function describeTime(ms: number): string {
  return minutes(ms / 60_000);
}

/** "≈ 20 more minutes" where it is known how long a block takes, else "about 25 more blocks". */
export function blocksInTime(blocks: number, blockMs: number | undefined): string {
  if (blockMs === undefined) return `about ${plural(blocks, 'more block')}`;
  const value = Math.max(1, Math.round((blocks * blockMs) / 60_000));
  return value < 90
    ? `≈ ${plural(value, 'more minute')}`
    : `≈ ${plural(Math.round(value / 60), 'more hour')}`;
}
