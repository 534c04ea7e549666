import { median } from 'simple-statistics';
import { groupBy } from '../../../core/analysis/grouping.ts';
import { readVersion } from '../../../core/analysis/run-pairs.ts';
import {
  countingDisturbed,
  isCompleted,
  readValue,
  withoutQuarantined,
} from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { Metric } from '../../../core/model/case.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { type CalledFunction, type PilotResult, withoutColdPages } from './pilot.ts';
import {
  type DelayedBlock,
  type DelayedPoint,
  estimateSlope,
  type Slope,
  summarizeDelays,
  wantedPrecision,
} from './slope.ts';

/** A copy of the page. */
export interface DelayedVersion {
  readonly folder: string;
  /** Of the function that waits; null in the one without a delay. */
  readonly index: number | null;
  /** Of each call. */
  readonly delayMs: number;
  /** Of one operation. */
  readonly totalMs: number;
}

/** Cost of the time of one function in one browser. */
export interface FunctionSlope extends Slope {
  readonly called: CalledFunction;
  /** The delays of one operation that were planned, in milliseconds. */
  readonly delaysMs: readonly number[];
  readonly points: readonly DelayedPoint[];
}

/** Slopes of one browser. */
export interface BrowserSlopes {
  readonly deviceId: string;
  readonly metric: Metric;
  /** Typical value without a delay. */
  readonly value: number;
  readonly functions: readonly FunctionSlope[];
}

/** The longest delay, as a share of the value: what is longer leaves the line sooner. */
const longestDelay = { least: 0.15, most: 0.25 };

/** The longest delay as a multiple of the noise, with which some ten blocks give a slope to ± 0.1. */
const noiseMultiple = 16;

/** As shares of the longest. */
const sizes = [0.5, 1];

/**
 * Plans a copy for each function and size, and several without a delay, with which all others are
 * compared. A function that is called often waits a little at each call.
 */
export function planVersions(
  chosen: readonly CalledFunction[],
  { value, noise }: Pick<PilotResult, 'value' | 'noise'>,
): readonly DelayedVersion[] {
  const share = Math.min(longestDelay.most, (noiseMultiple * noise) / value);
  const longestMs = value * Math.max(longestDelay.least, share);
  const without = Math.max(2, Math.ceil(Math.sqrt(chosen.length)));
  return [
    ...Array.from({ length: without }, (_, at) => {
      const folder = `without a delay${at === 0 ? '' : ` ${String(at + 1)}`}`;
      return { folder, index: null, delayMs: 0, totalMs: 0 };
    }),
    ...chosen.flatMap(({ name, calls }, index) =>
      sizes.map((size): DelayedVersion => {
        const totalMs = size * longestMs;
        const label = `${name.replaceAll(/[^\w.]/g, '').slice(0, 40)} ${String(index + 1)}`;
        const folder = `${label} +${totalMs.toPrecision(3)} ms`;
        return { folder, index, delayMs: totalMs / calls, totalMs };
      }),
    ),
  ];
}

/** Finds the slopes of each browser. The first metric is what is measured, and the second what was waited. */
export function findSlopes(
  trials: readonly Trial[],
  chosen: readonly CalledFunction[],
  versions: readonly DelayedVersion[],
): readonly BrowserSlopes[] {
  const warm = countingDisturbed(withoutColdPages(trials));
  const counted = withoutQuarantined(warm).filter(isCompleted);
  const byDevice = groupBy(counted, ({ job }) => job.deviceId);
  return [...byDevice].flatMap(([deviceId, ours]): BrowserSlopes[] => {
    const [metric, delay] = ours[0]?.job.case.benchmark.metrics ?? [];
    if (metric === undefined || delay === undefined) return [];
    const read = ours.flatMap((trial) => {
      const version = versions.find(({ folder }) => folder === readVersion(trial.job));
      const value = readValue(trial, metric);
      const delayMs = version?.index === null ? 0 : readValue(trial, delay);
      if (version === undefined || value === null || delayMs === null) return [];
      return [{ block: trial.job.block, index: version.index, value: { delayMs, value } }];
    });
    const without = read.filter(({ index }) => index === null);
    const byBlock = [...groupBy(read, ({ block }) => block).values()];
    return [
      {
        deviceId,
        metric,
        value: without.length === 0 ? NaN : median(without.map(({ value }) => value.value)),
        functions: chosen.flatMap((called, index) => {
          const blocks = byBlock.flatMap((all): DelayedBlock[] => {
            const bases = all.filter((one) => one.index === null);
            // A load in which it was not called says nothing of it.
            const own = all.filter((one) => one.index === index && one.value.delayMs > 0);
            const isUseful = bases.length > 0 && own.length > 0;
            return isUseful ? [[...bases, ...own].map(({ value }) => value)] : [];
          });
          if (blocks.length === 0) return [];
          const delaysMs = versions
            .filter((one) => one.index === index)
            .map(({ totalMs }) => totalMs);
          const slope = estimateSlope(blocks, defaultAlpha / chosen.length);
          return [{ called, delaysMs, points: summarizeDelays(blocks), ...slope }];
        }),
      },
    ];
  });
}

/** True once every slope is known as precisely as asked for. */
export function areKnown(
  browsers: readonly BrowserSlopes[],
  chosen: readonly CalledFunction[],
): boolean {
  return browsers.every(
    ({ functions }) =>
      functions.length === chosen.length &&
      functions.every(
        ({ low, high }) => low !== null && high !== null && high - low <= 2 * wantedPrecision,
      ),
  );
}
