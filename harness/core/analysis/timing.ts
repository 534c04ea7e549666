import { median } from 'simple-statistics';
import { calmIterations, disturbedIn } from '../model/trial-value.ts';
import type { TrialResult } from '../model/trial.ts';
import { spreadLevels, type PricedSpread, type SpreadLevels } from './stats/spread-levels.ts';
import { groupBy } from './grouping.ts';
import type { CompletedTrial } from './series.ts';

/** The window of a cell's trials, the sources of their spread, and the cost of a session. */
interface Timing {
  /** Median over the trials. */
  readonly windowMs: number;
  /** Null with fewer than two trials, or if they are too short to split. */
  readonly price: (PricedSpread & { readonly spread: SpreadLevels }) | null;
}

/** Fewest sessions for advice. */
export const fewestToAdvise = 4;

/** @param trials not empty, each with a steady state that was searched for */
export function computeTiming(trials: readonly CompletedTrial[]): Timing {
  const windows = trials.map(({ outcome }) => computeWindowMs(outcome.result));
  const windowMs = median(windows);
  const steady = trials.map(({ outcome }) => splitSteady(outcome.result));
  const isSplit = steady.length >= 2 && steady.every(({ logs }) => logs.length >= 2);
  if (!isSplit) return { windowMs, price: null };
  const price = {
    stretch: median(steady.map(({ ms, logs }) => ms / logs.length)),
    session: median(trials.map(({ wallMs }, i) => Math.max(0, wallMs - (windows[i] ?? 0)))),
    spread: spreadLevels(steady.map(({ logs }) => logs)),
  };
  return { windowMs, price };
}

/**
 * Returns the length of the timed window of a trial whose steady state was searched for, without
 * the iterations that do not count.
 */
export function computeWindowMs(result: TrialResult): number {
  return calmIterations(result).reduce((sum, value) => sum + value * result.repeats, 0);
}

interface Steady {
  readonly ms: number;
  /** Logarithms of the iterations, stretch by stretch. */
  readonly logs: readonly (readonly number[])[];
}

const halfSecond = 500;
const fifth = 5;

/**
 * Splits the steady part of a trial into stretches: half seconds of a long one, five parts of equal
 * time of a shorter one. It is all of the last segment, because changes within a second, as by the
 * garbage collector, do not show in 300 ms; and no more, because no window reaches into an earlier
 * one.
 */
function splitSteady(result: TrialResult): Steady {
  const timed = result.samples[0]?.timed ?? [];
  const begins = result.steadyState?.windowAtMs ?? 0;
  let endMs = begins;
  const disturbed = disturbedIn(result);
  const inWindow = timed
    .map((value) => ({ value, endMs: (endMs += value * result.repeats) }))
    .filter((_, index) => !disturbed.has(index));
  const placed = [...settledBefore(result), ...inWindow];
  const fromMs = Math.min(begins, lastSegmentMs(result) ?? begins);
  const ms = endMs - fromMs;
  const stretches = Math.max(fifth, Math.floor(ms / halfSecond));
  const counted = placed.filter(({ value }) => value > 0);
  const byStretch = groupBy(counted, (one) =>
    Math.min(stretches - 1, Math.floor(((one.endMs - fromMs) / ms) * stretches)),
  );
  const logs = [...byStretch.values()].map((all) => all.map(({ value }) => Math.log(value)));
  return { ms, logs: logs.filter(({ length }) => length >= 2) };
}

/** Returns the iterations of the last segment before the window; none without a steady state. */
function settledBefore(
  result: TrialResult,
): readonly { readonly value: number; readonly endMs: number }[] {
  const { samples, steadyState } = result;
  const { warmUpEndMs = [] } = steadyState ?? {};
  const fromMs = lastSegmentMs(result);
  if (fromMs === null) return [];
  return (samples[0]?.warmUp ?? []).flatMap((value, i) => {
    const endMs = warmUpEndMs[i] ?? 0;
    return endMs > fromMs ? [{ value, endMs }] : [];
  });
}

/** Returns when the last segment began, since the first call; null without a steady state. */
function lastSegmentMs({ steadyState }: TrialResult): number | null {
  const isSteady = (steadyState?.steadyAfterMs ?? null) !== null;
  return (isSteady ? steadyState?.segments.at(-1)?.fromMs : null) ?? null;
}
