import { median } from 'simple-statistics';
import { medianInterval } from '../../../core/analysis/stats/median-interval.ts';
import { excludes, logInterval } from '../../../core/analysis/stats/ratio-interval.ts';
import { scale, typicalLogRatio } from '../../../core/analysis/stats/typical-ratio.ts';

/** One trial of a block: how long a function waited, and what was measured. */
export interface DelayedValue {
  /** Milliseconds that it waited in one operation, as the page told; 0 without a delay. */
  readonly delayMs: number;
  readonly value: number;
}

/** The trials of one block, at least one of them without a delay and one with. */
export type DelayedBlock = readonly DelayedValue[];

export interface Estimate {
  readonly value: number;
  /** Null while any value is possible. */
  readonly low: number | null;
  readonly high: number | null;
}

/** Cost of a millisecond in a function. */
export interface Slope extends Estimate {
  /** Slope of the longest delays less that of the shortest ones; null with a single size. */
  readonly bend: Estimate | null;
  /** False where the values lie on no line: another path becomes the longest on the way. */
  readonly isLine: boolean;
  readonly blocks: number;
}

/** The delays of about one size, and what they changed: medians over the blocks, with intervals at 95 %. */
export interface DelayedPoint {
  readonly delayMs: number;
  readonly change: number;
  readonly low: number;
  readonly high: number;
}

/** Sums up each size of delay, the shortest first. @throws StatisticsRefusal `not-finite`. */
export function summarizeDelays(blocks: readonly DelayedBlock[]): readonly DelayedPoint[] {
  const ranked = blocks.map((block) => {
    const base = findBase(block);
    const delays = block.filter(({ delayMs }) => delayMs > 0);
    return delays
      .toSorted((a, b) => a.delayMs - b.delayMs)
      .map(({ delayMs, value }) => ({ delayMs, change: value - base }));
  });
  const sizes = Math.max(0, ...ranked.map(({ length }) => length));
  // A block without one of its trials does not say which size it lacks.
  const whole = ranked.filter(({ length }) => length === sizes);
  return Array.from({ length: sizes }, (_, size) => {
    const ofSize = whole.flatMap((block) => block[size] ?? []);
    const { median: change, low, high } = medianInterval(ofSize.map((one) => one.change));
    return { delayMs: median(ofSize.map(({ delayMs }) => delayMs)), change, low, high };
  });
}

/** Such as `0.98 (0.91 … 1.04)`. */
export function formatSlope({ value, low, high }: Estimate): string {
  const short = (one: number): string => one.toFixed(2).replace('-', '−');
  return low === null || high === null
    ? `${short(value)} (any is possible)`
    : `${short(value)} (${short(low)} … ${short(high)})`;
}

/** A slope is wanted to ± this. */
export const wantedPrecision = 0.1;

/** Slopes that lie closer together than this are averaged; half of what matters, as for ratios. */
const slopeScale = wantedPrecision / 2;

/** A bend is the difference of noisier slopes. */
const bendScale = 2 * wantedPrecision;

/**
 * Estimates the change of a value for each millisecond of delay: in each block the line of least squares
 * through the median of the values without a delay, and over the blocks the typical one with its interval,
 * which holds at any look (`logInterval`). A block has all sizes next to each other in random order, so
 * slow hours of a machine fall on all of them alike. The scale of the bets, beyond which a block counts
 * as one vote, is 0.05 instead of 1 %.
 *
 * Assumption: blocks are independent and alike. Smallest n: 6 blocks for an interval at 5 %.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function estimateSlope(blocks: readonly DelayedBlock[], alpha: number): Slope {
  const bends = blocks.map(computeBend).filter((one) => one !== null);
  const bend = bends.length === 0 ? null : estimate(bends, alpha, bendScale);
  return {
    ...estimate(blocks.map(fitLine), alpha, slopeScale),
    bend,
    isLine: bend === null || !isBeyond(bend, wantedPrecision),
    blocks: blocks.length,
  };
}

function isBeyond({ low, high }: Estimate, bound: number): boolean {
  return low !== null && high !== null && excludes({ low, high }, bound);
}

function estimate(values: readonly number[], alpha: number, own: number): Estimate {
  const factor = scale / own;
  const scaled = values.map((one) => one * factor);
  const interval = logInterval(scaled, alpha);
  return {
    value: typicalLogRatio(scaled) / factor,
    low: interval === null ? null : interval.low / factor,
    high: interval === null ? null : interval.high / factor,
  };
}

function findBase(block: DelayedBlock): number {
  return median(block.filter(({ delayMs }) => delayMs === 0).map(({ value }) => value));
}

function fitLine(block: DelayedBlock): number {
  const base = findBase(block);
  let [products, squares] = [0, 0];
  for (const { delayMs, value } of block) {
    products += delayMs * (value - base);
    squares += delayMs ** 2;
  }
  return products / squares;
}

/** The slope between the two longest delays less that up to the shorter one; null for a single delay. */
function computeBend(block: DelayedBlock): number | null {
  const delays = block.filter(({ delayMs }) => delayMs > 0);
  const [longest, shorter] = delays.toSorted((a, b) => b.delayMs - a.delayMs);
  if (longest === undefined || shorter === undefined) return null;
  if (longest.delayMs === shorter.delayMs) return null;
  const first = (shorter.value - findBase(block)) / shorter.delayMs;
  return (longest.value - shorter.value) / (longest.delayMs - shorter.delayMs) - first;
}
