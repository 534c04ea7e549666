import { mean, sum } from 'simple-statistics';
import { eBh } from '../../../core/analysis/stats/benjamini-hochberg.ts';
import { computeEvidence, logEValue } from '../../../core/analysis/stats/mixture-test.ts';
import { excludes, logInterval } from '../../../core/analysis/stats/ratio-interval.ts';
import { typicalLogRatio } from '../../../core/analysis/stats/typical-ratio.ts';
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

/** A change in milliseconds of one operation. */
interface Change {
  readonly changeMs: number;
  /** Null of what was not selected, and while any change is possible. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Change of one function. */
export interface BlameRow extends Change {
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
  readonly total: Change & { readonly isDecided: boolean };
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
 * Finds the functions whose self time changed between two versions.
 *
 * The change δ of a block is the self time after less the self time before. Under "this function is
 * the same" δ is as likely +x as −x, because the order in the block was drawn at random, so the bets of
 * `logEValue` on δ / scale are fair: their score is limited beyond 1 % of an operation, needs no
 * logarithm, and stays a score where a self time is 0. The rows are selected by e-BH (Wang & Ramdas
 * 2022), and the interval of a selected row is at the level of its selection (e-BY; Xu, Wang & Ramdas
 * 2024), because it is shown for what it showed. Both hold at any look, and for any dependence between
 * rows.
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
  const shares = rows.map(({ before, after }) => sharesOf(before, after, scaleMs));
  const isFound = eBh(
    shares.map((one) => logEValue(computeEvidence(one))),
    alpha,
  );
  const level = (alpha * Math.max(1, isFound.filter(Boolean).length)) / Math.max(1, rows.length);
  const whole = sharesOf(
    blocks.map(({ before }) => before.totalMs),
    blocks.map(({ after }) => after.totalMs),
    scaleMs,
  );
  const total = describeChange(whole, { level: alpha, scaleMs });
  const isDecided = isBeyondZero(total);
  return {
    rows: rows
      .map((row, index): BlameRow => {
        const own = shares[index] ?? [];
        const change =
          isFound[index] === true
            ? describeChange(own, { level, scaleMs })
            : { changeMs: typicalLogRatio(own) * scaleMs, low: null, high: null };
        const isSettled = isBeyondZero(change);
        const share = isSettled && isDecided ? change.changeMs / total.changeMs : null;
        const [beforeMs, afterMs] = [mean([...row.before]), mean([...row.after])];
        return { key: row.key, beforeMs, afterMs, ...change, isSettled, share };
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

/** The change of each block as a share of an operation, of which the scale of the bets is 1 %. */
function sharesOf(
  before: readonly number[],
  after: readonly number[],
  scaleMs: number,
): readonly number[] {
  return after.map((ms, block) => (ms - (before[block] ?? 0)) / scaleMs);
}

function describeChange(
  shares: readonly number[],
  { level, scaleMs }: { readonly level: number; readonly scaleMs: number },
): Change {
  const interval = logInterval(shares, level);
  return {
    changeMs: typicalLogRatio(shares) * scaleMs,
    low: interval === null ? null : interval.low * scaleMs,
    high: interval === null ? null : interval.high * scaleMs,
  };
}

function isBeyondZero({ low, high }: Change): boolean {
  return low !== null && high !== null && excludes({ low, high }, 0);
}
