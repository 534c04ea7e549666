import { eBh } from './benjamini-hochberg.ts';
import { computeEvidence, logEValue } from './mixture-test.ts';
import { excludes, logInterval } from './ratio-interval.ts';
import { typicalLogRatio } from './typical-ratio.ts';
import { defaultAlpha } from './verdict.ts';

/** A change in milliseconds. */
export interface MsChange {
  readonly changeMs: number;
  /** Null of what was not selected, and while any change is possible. */
  readonly low: number | null;
  readonly high: number | null;
}

/** A part of a whole in each block of two sides, in milliseconds. It may be 0. */
export interface PartSeries {
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** Milliseconds of the whole: the scale of the scores. It treats both sides alike, or comes from elsewhere. */
  readonly scaleMs: number;
  /** The part of a change that the clocks of both sides leave open; 0 when left out. */
  readonly resolutionMs?: number;
}

export interface PartChange extends MsChange {
  /** Its change is one of those found, of which `alpha` are wrong on average. */
  readonly isSettled: boolean;
}

/**
 * Finds the parts that changed between two sides, such as functions of an operation or phases of a
 * paint.
 *
 * The change δ of a block is the part after less the part before. Under "this part is the same" δ is
 * as likely +x as −x, because the order in the block was drawn at random, so the bets of `logEValue`
 * on δ / scale are fair: their score is limited beyond 1 % of the whole, needs no logarithm, and stays
 * a score where a part is 0. The parts are selected by e-BH (Wang & Ramdas 2022), and the interval of
 * a selected one is at the level of its selection (e-BY; Xu, Wang & Ramdas 2024), because it is shown
 * for what it showed. Both hold at any look, and for any dependence between parts.
 *
 * @param alpha of the false discoveries among the parts
 * @throws StatisticsRefusal `empty` without a block, `not-finite`.
 */
export function findChangedParts<T extends PartSeries>(
  parts: readonly T[],
  alpha = defaultAlpha,
): readonly (T & PartChange)[] {
  const shares = parts.map(listShares);
  const isFound = eBh(
    shares.map((one) => logEValue(computeEvidence(one))),
    alpha,
  );
  const level = (alpha * Math.max(1, isFound.filter(Boolean).length)) / Math.max(1, parts.length);
  return parts.map((part, index) => {
    if (isFound[index] !== true) {
      const changeMs = typicalLogRatio(shares[index] ?? []) * part.scaleMs;
      return { ...part, changeMs, low: null, high: null, isSettled: false };
    }
    const change = describeMsChange(part, level);
    return { ...part, ...change, isSettled: isBeyondZero(change) };
  });
}

/** Describes the change of one part at the given level. @throws StatisticsRefusal as above */
export function describeMsChange(part: PartSeries, level: number): MsChange {
  const { scaleMs, resolutionMs = 0 } = part;
  const shares = listShares(part);
  const interval = logInterval(shares, level, { resolution: resolutionMs / scaleMs });
  return {
    changeMs: typicalLogRatio(shares) * scaleMs,
    low: interval === null ? null : interval.low * scaleMs,
    high: interval === null ? null : interval.high * scaleMs,
  };
}

export function isBeyondZero({ low, high }: Pick<MsChange, 'low' | 'high'>): boolean {
  return low !== null && high !== null && excludes({ low, high }, 0);
}

/** The change of each block as a share of the whole, of which the scale of the bets is 1 %. */
function listShares({ before, after, scaleMs }: PartSeries): readonly number[] {
  return after.map((ms, block) => (ms - (before[block] ?? 0)) / scaleMs);
}
