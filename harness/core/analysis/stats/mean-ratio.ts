import { mean } from 'simple-statistics';
import { excludes, isWithin, type LogInterval } from './ratio-interval.ts';
import type { BlockPair } from './typical-ratio.ts';

/**
 * Spread of the prior, in spreads of the data: with it six blocks reach ± 2 of their spreads,
 * twelve ± 1.1.
 */
const priorScale = 2;

/** A ratio of means as a logarithm, with the bounds that hold at any look. */
export interface MeanRatio extends LogInterval {
  readonly logRatio: number;
}

/**
 * ln of the evidence against "the mean of a is e^logRatio times the mean of b": of the blocks'
 * z = a − e^logRatio · b, with a mean of 0 then, the Bayes factor of the t statistic with a normal
 * prior on the mean over the spread, which is a test martingale for any spread:
 *
 *   E = k^(−1/2) · ((1 + t²/ν) / (1 + t²/(kν)))^((ν+1)/2), ν = n − 1, k = 1 + n · priorScale².
 *
 * Source: Gronau, Ly & Wagenmakers (2020), The American Statistician 74:137–143; that looks at any
 * time are allowed: Wang & Ramdas (2023), Anytime-valid t-tests and confidence sequences for
 * Gaussian means with unknown variance, arXiv 2310.03722. Assumption: blocks are independent, z is
 * about normal, and when to stop is decided by t alone; a rare slow session that has not been seen
 * yet is in no mean. It needs two blocks for any evidence.
 */
export function logMeanEValue(pairs: readonly BlockPair[], logRatio: number): number {
  const n = pairs.length;
  if (n < 2) return 0;
  const factor = Math.exp(logRatio);
  const gaps = pairs.map(({ a, b }) => a - factor * b);
  const middle = mean(gaps);
  const squares = gaps.reduce((sum, gap) => sum + (gap - middle) ** 2, 0);
  // t² / ν.
  const distance = squares === 0 ? (middle === 0 ? 0 : Infinity) : (n * middle ** 2) / squares;
  const k = 1 + n * priorScale ** 2;
  const gain =
    distance === Infinity ? Math.log(k) : Math.log1p(distance) - Math.log1p(distance / k);
  return squares === 0 && distance === Infinity ? Infinity : (n * gain - Math.log(k)) / 2;
}

/** A ratio beyond e^20 has no meaning. */
const farthest = 20;

/**
 * The mean of a over the mean of b, which a rare slow session moves and the typical ratio does not, and
 * every ratio that `logMeanEValue` does not refute at this error rate. Its bounds are infinite where the
 * blocks are too few or too far apart.
 *
 * Method: bisection from the estimate outwards. Smallest n: 1, without bounds.
 */
export function meanRatio(pairs: readonly BlockPair[], alpha: number): MeanRatio {
  const logRatio = logRatioOf(pairs);
  const isRefuted = (far: number): boolean => logMeanEValue(pairs, far) >= -Math.log(alpha);
  const bound = (direction: 1 | -1): number => {
    if (!isRefuted(logRatio + direction * farthest)) return direction * Infinity;
    let [within, beyond] = [0, farthest];
    for (let halving = 0; halving < 50; halving += 1) {
      const middle = (within + beyond) / 2;
      if (isRefuted(logRatio + direction * middle)) beyond = middle;
      else within = middle;
    }
    return logRatio + direction * beyond;
  };
  return { logRatio, low: bound(-1), high: bound(1) };
}

/** A ratio of means and its bounds, which may be 0 and infinite. */
export interface MeanBounds {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export function exponential({ logRatio, low, high }: MeanRatio): MeanBounds {
  return { ratio: Math.exp(logRatio), low: Math.exp(low), high: Math.exp(high) };
}

/** How many more blocks the means take, whose interval narrows as their root; null when none help. */
export function moreOfMeans(
  { logRatio, low, high }: MeanRatio,
  { margin, blocks }: { readonly margin: number; readonly blocks: number },
): number | null {
  const room = Math.log1p(margin) - Math.abs(logRatio);
  const needed = Math.ceil(blocks * (((high - low) / 2 / room) ** 2 - 1));
  return room > 0 && Number.isFinite(needed) ? Math.max(1, needed) : null;
}

/** Why sides whose typical ratio lies within the margin are not called equivalent; null when they are. */
export function findDoubt(
  means: MeanRatio,
  margin: number,
): 'mean-differs' | 'mean-too-wide' | null {
  const bound = Math.log1p(margin);
  if (isWithin(means, bound)) return null;
  return excludes(means, bound) ? 'mean-differs' : 'mean-too-wide';
}

function logRatioOf(pairs: readonly BlockPair[]): number {
  return Math.log(mean(pairs.map(({ a }) => a))) - Math.log(mean(pairs.map(({ b }) => b)));
}

/** ln of the evidence that the means lie within the bound, from the weaker one of its ends. */
export function logMeanCapital(pairs: readonly BlockPair[], bound: number): number {
  if (Math.abs(logRatioOf(pairs)) >= bound) return -Infinity;
  return Math.min(...[-bound, bound].map((end) => logMeanEValue(pairs, end)));
}
