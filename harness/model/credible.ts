import { secondsPer } from './case.ts';
import type { Failure, Trial, TrialResult } from './trial.ts';

/**
 * No clock, score or counter gives numbers beyond; smaller ones are the rounding of a subtraction.
 * Sums, squares and ratios of what is within stay finite.
 */
export const extremes = { smallest: 1e-30, largest: 1e18 } as const;

export function isCredible(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const size = Math.abs(value);
  return size === 0 || (size >= extremes.smallest && size <= extremes.largest);
}

/** Whether samples hold no duration below 0: a score or a difference may be, and a time may not. */
export function isPossible({ unit, warmUp, timed }: Samples): boolean {
  return !Object.hasOwn(secondsPer, unit) || [...warmUp, ...timed].every((value) => value >= 0);
}

/** What two clocks of one machine may differ by, and the rounding of a trial's time to milliseconds. */
const slack = { share: 0.02, ms: 25 } as const;

type Samples = Pick<TrialResult['samples'][number], 'unit' | 'warmUp' | 'timed'>;

/** The longest time of a result, in milliseconds; 0 without one. */
export function longestTimeMs({ samples }: Pick<TrialResult, 'samples'>): number {
  return samples.reduce((longest, { unit, warmUp, timed }) => {
    const seconds = Object.hasOwn(secondsPer, unit) ? (secondsPer[unit] ?? 0) : 0;
    return [...warmUp, ...timed].reduce(
      (most, one) => Math.max(most, one * seconds * 1000),
      longest,
    );
  }, 0);
}

/** Why no clock has given a result: a time of it is longer than its whole trial. Null for any other one. */
export function impossibleIn(wallMs: number, result: Pick<TrialResult, 'samples'>): string | null {
  if (longestTimeMs(result) <= wallMs * (1 + slack.share) + slack.ms) return null;
  return `it has a time that is longer than the whole trial (${String(wallMs)} ms)`;
}

/** Whether every number in it is credible, however deep. */
function isAllCredible(value: unknown): boolean {
  if (typeof value === 'number') return isCredible(value);
  if (typeof value !== 'object' || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isAllCredible);
}

/**
 * A trial as it may be believed: one with a number that no page could have measured in it, or with a time
 * that is longer than itself, as of a hostile page, another farm's file or an edited database, counts as failed.
 */
export function believable(trial: Trial): Trial {
  const { outcome, wallMs } = trial;
  if (outcome.kind !== 'completed') return trial;
  const { result, readings } = outcome;
  if (!isAllCredible([result, readings, wallMs]) || !result.samples.every(isPossible)) {
    return failedBy(trial, 'it is stored with a number that no clock and no counter gives');
  }
  const impossible = impossibleIn(wallMs, result);
  return impossible === null ? trial : failedBy(trial, impossible);
}

function failedBy(trial: Trial, message: string): Trial {
  const { failedAttempts } = trial;
  const failure: Failure = { code: 'bad-message', message };
  const attempt = { number: (failedAttempts.at(-1)?.number ?? 0) + 1, failure };
  return {
    ...trial,
    outcome: { kind: 'failed', failure },
    failedAttempts: [...failedAttempts, attempt],
  };
}
