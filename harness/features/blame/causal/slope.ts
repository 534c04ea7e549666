import { mean, sum } from 'simple-statistics';
import { excludes, logInterval } from '../../../core/analysis/stats/ratio-interval.ts';
import { scale, typicalLogRatio } from '../../../core/analysis/stats/typical-ratio.ts';

/** One trial of a block: how long a function was delayed in one operation, and what was measured. */
export interface DelayedValue {
  /** Milliseconds of one operation; 0 without a delay. */
  readonly delayMs: number;
  readonly value: number;
}

/** The trials of one block, with at least two different delays. */
export type DelayedBlock = readonly DelayedValue[];

export interface Estimate {
  readonly value: number;
  /** Null while any value is possible. */
  readonly low: number | null;
  readonly high: number | null;
}

/** What a millisecond in a function costs. */
export interface Slope extends Estimate {
  /** Slope of the longer delays less that of the shorter ones; null with a single size. */
  readonly bend: Estimate | null;
  /** False where the values lie on no line: another path becomes the longest on the way. */
  readonly isLine: boolean;
  readonly blocks: number;
}

/** Slopes that lie closer together than this differ by nothing that matters, and are averaged. */
const slopeScale = 0.1;

/**
 * Estimates the change of a value for each millisecond of delay: least squares of each block, and of
 * these the typical one with its interval, which holds at any look (`logInterval`). A block has all sizes
 * next to each other in random order, so slow hours of a machine fall on all of them alike. The scale of
 * the bets, beyond which a block counts as one vote, is 0.1 instead of 1 %.
 *
 * Assumption: blocks are independent and alike. Smallest n: 6 blocks for an interval at 5 %.
 *
 * @throws StatisticsRefusal `empty`, `not-finite`, `bad-level`.
 */
export function estimateSlope(blocks: readonly DelayedBlock[], alpha: number): Slope {
  const slopes = blocks.map(fitLine);
  const bends = blocks.map(computeBend).filter((one) => one !== null);
  const bend = bends.length === 0 ? null : estimate(bends, alpha);
  const isBent = bend !== null && isBeyond(bend, slopeScale);
  return { ...estimate(slopes, alpha), bend, isLine: !isBent, blocks: blocks.length };
}

function isBeyond({ low, high }: Estimate, bound: number): boolean {
  return low !== null && high !== null && excludes({ low, high }, bound);
}

function estimate(values: readonly number[], alpha: number): Estimate {
  const factor = scale / slopeScale;
  const scaled = values.map((one) => one * factor);
  const interval = logInterval(scaled, alpha);
  return {
    value: typicalLogRatio(scaled) / factor,
    low: interval === null ? null : interval.low / factor,
    high: interval === null ? null : interval.high / factor,
  };
}

/** The slope of the least squares' line. */
function fitLine(block: DelayedBlock): number {
  const middle = mean(block.map(({ delayMs }) => delayMs));
  const away = block.map(({ delayMs, value }) => ({ x: delayMs - middle, value }));
  return sum(away.map(({ x, value }) => x * value)) / sum(away.map(({ x }) => x * x));
}

/** The slope between the two longest delays less that between the two shortest; null for fewer than three. */
function computeBend(block: DelayedBlock): number | null {
  const sorted = block.toSorted((a, b) => a.delayMs - b.delayMs);
  const [a, b, c] = [sorted[0], sorted.at(-2), sorted.at(-1)];
  if (sorted.length < 3 || a === undefined || b === undefined || c === undefined) return null;
  const between = (one: DelayedValue, other: DelayedValue): number =>
    (other.value - one.value) / (other.delayMs - one.delayMs);
  return between(b, c) - between(a, b);
}
