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

/** Whether no sample that is a time is longer than the whole trial, by the farm's own clock. */
function fitsIn(wallMs: number): (samples: Samples) => boolean {
  const most = wallMs * (1 + slack.share) + slack.ms;
  return ({ unit, warmUp, timed }) => {
    const seconds = Object.hasOwn(secondsPer, unit) ? (secondsPer[unit] ?? 0) : 0;
    return [...warmUp, ...timed].every((value) => value * seconds * 1000 <= most);
  };
}

type Samples = Pick<TrialResult['samples'][number], 'unit' | 'warmUp' | 'timed'>;

/** Whether every number in it is credible, however deep. */
function isAllCredible(value: unknown): boolean {
  if (typeof value === 'number') return isCredible(value);
  if (typeof value !== 'object' || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isAllCredible);
}

/**
 * A stored trial as it may be believed: one with a number that no page could have measured in it, as of a
 * hostile page, another farm's file or an edited database, counts as failed.
 */
export function believable(trial: Trial): Trial {
  const { outcome } = trial;
  if (outcome.kind !== 'completed') return trial;
  const { result, readings } = outcome;
  if (isAllCredible(result) && isAllCredible(readings) && result.samples.every(isPossible)) {
    return trial;
  }
  return failedBy(trial, 'it is stored with a number that no clock and no counter gives');
}

/** The same for a trial of another farm's file: none of its times may be longer than the whole trial. */
export function believableForeign(trial: Trial): Trial {
  const { outcome, wallMs } = trial;
  if (outcome.kind !== 'completed' || outcome.result.samples.every(fitsIn(wallMs))) {
    return believable(trial);
  }
  const whole = String(wallMs);
  return failedBy(trial, `it has a time that is longer than the whole trial (${whole} ms)`);
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
