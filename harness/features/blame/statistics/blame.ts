import { mean, sum } from 'simple-statistics';
import {
  describeMsChange,
  findChangedParts,
  isBeyondZero,
  type MsChange,
} from '../../../core/analysis/stats/changed-parts.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';

/** One profiled trial, in milliseconds of one operation. */
export interface ProfiledTrial {
  /** Of the whole operation. */
  readonly totalMs: number;
  /** Self time by the key of a function, or of what is no function, such as garbage collection. */
  readonly selfMs: ReadonlyMap<string, number>;
}

/** The profiled trials of both versions in one block. */
export interface ProfiledBlock {
  readonly before: ProfiledTrial;
  readonly after: ProfiledTrial;
}

/** Change of one function. */
export interface BlameRow extends MsChange {
  readonly key: string;
  readonly beforeMs: number;
  readonly afterMs: number;
  /** Its change is one of those found, of which `alpha` are wrong on average. */
  readonly isSettled: boolean;
  /** Of the whole difference; null while that is not decided, and for what is not settled. */
  readonly share: number | null;
}

export interface Blame {
  /** Settled rows first, those with the largest change first. */
  readonly rows: readonly BlameRow[];
  /** The whole operation. */
  readonly total: MsChange & { readonly isDecided: boolean };
  /** Functions too short to be told apart: together they are one row, with the key `others`. */
  readonly shortFunctions: number;
  readonly blocks: number;
}

export interface BlameRules {
  /** Milliseconds of one operation: the scale of the scores. Known before the first profile. */
  readonly scaleMs: number;
  /** Of the false discoveries among the rows. */
  readonly alpha?: number;
}

/** The key of all functions that are too short to be told apart. */
export const othersKey = 'others';

/** A function takes at least this share of an operation in the mean of both versions, or is short. */
const leastShare = 0.005;

/**
 * Finds the functions whose self time changed between two versions, in milliseconds of one operation:
 * `findChangedParts` says how they are selected.
 *
 * Which functions are short is decided by the sum of both sides, which the order of the two says nothing
 * of: the bets stay fair.
 *
 * @throws StatisticsRefusal `empty` without a block, `not-finite`.
 */
export function findBlame(
  blocks: readonly ProfiledBlock[],
  { scaleMs, alpha = defaultAlpha }: BlameRules,
): Blame {
  const series = collectSeries(blocks);
  const { long, short } = partShort(series, scaleMs);
  const rows = [...long, ...(short.length === 0 ? [] : [addUp(short)])];
  const changed = findChangedParts(
    rows.map((row) => ({ ...row, scaleMs })),
    alpha,
  );
  const whole = {
    before: blocks.map(({ before }) => before.totalMs),
    after: blocks.map(({ after }) => after.totalMs),
    scaleMs,
  };
  const total = describeMsChange(whole, alpha);
  const isDecided = isBeyondZero(total);
  return {
    rows: changed
      .map((row): BlameRow => {
        const { key, changeMs, low, high, isSettled } = row;
        const share = isSettled && isDecided ? changeMs / total.changeMs : null;
        const [beforeMs, afterMs] = [mean([...row.before]), mean([...row.after])];
        return { key, beforeMs, afterMs, changeMs, low, high, isSettled, share };
      })
      .toSorted(bySettledChange),
    total: { ...total, isDecided },
    shortFunctions: short.length,
    blocks: blocks.length,
  };
}

function bySettledChange(one: BlameRow, other: BlameRow): number {
  if (one.isSettled !== other.isSettled) return one.isSettled ? -1 : 1;
  return Math.abs(other.changeMs) - Math.abs(one.changeMs);
}

/** The self times of a row in each block, in milliseconds. */
interface Series {
  readonly key: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function collectSeries(blocks: readonly ProfiledBlock[]): readonly Series[] {
  const trials = blocks.flatMap(({ before, after }) => [before, after]);
  const keys = new Set(trials.flatMap(({ selfMs }) => [...selfMs.keys()]));
  return [...keys].map((key) => ({
    key,
    before: blocks.map(({ before }) => before.selfMs.get(key) ?? 0),
    after: blocks.map(({ after }) => after.selfMs.get(key) ?? 0),
  }));
}

function partShort(
  series: readonly Series[],
  scaleMs: number,
): { readonly long: readonly Series[]; readonly short: readonly Series[] } {
  const isShort = ({ before, after }: Series): boolean =>
    mean([...before, ...after]) < leastShare * scaleMs;
  const short = series.filter(isShort);
  // A short one alone is not another row under another name.
  return short.length < 2
    ? { long: series, short: [] }
    : { long: series.filter((one) => !isShort(one)), short };
}

function addUp(series: readonly Series[]): Series {
  const add = (side: 'before' | 'after'): readonly number[] =>
    (series[0]?.[side] ?? []).map((_, block) => sum(series.map((one) => one[side][block] ?? 0)));
  return { key: othersKey, before: add('before'), after: add('after') };
}
