import { isCredible } from './bounded-value.ts';
import { type ExternalPage, secondsPer } from './case.ts';
import { measuresOfPages } from './measures.ts';
import type { Failure, Trial, TrialResult } from './trial.ts';

/** True if samples hold no duration below 0: a score or a difference may be, and a time may not. */
export function isPossible({ unit, warmUp, timed }: Samples): boolean {
  return !Object.hasOwn(secondsPer, unit) || [...warmUp, ...timed].every((value) => value >= 0);
}

/**
 * The tolerated difference between two clocks of one machine, and the rounding of a trial's time to
 * milliseconds.
 */
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

type Readers = Pick<ExternalPage, 'readers'>;

/**
 * True if no trial is shorter than this metric of it: true of the time between two moments. CPU
 * time adds up over cores, and the meaning of a page's own number is unknown here, in any unit.
 */
function isElapsed(metric: string, guest: Readers | undefined): boolean {
  const reader = guest?.readers[metric];
  const named = Object.hasOwn(measuresOfPages, metric) ? measuresOfPages[metric] : undefined;
  return (
    metric === 'duration' ||
    named?.elapsed === true ||
    reader?.by === 'measure' ||
    reader?.by === 'mark'
  );
}

/**
 * The reason why no clock gave a result: one of its times is longer than the whole trial. Null for
 * any other one.
 */
export function impossibleIn(
  wallMs: number,
  { samples }: Pick<TrialResult, 'samples'>,
  guest?: Readers,
): string | null {
  const impossible = samples.find(
    (one) =>
      isElapsed(one.metric, guest) &&
      longestTimeMs({ samples: [one] }) > wallMs * (1 + slack.share) + slack.ms,
  );
  if (impossible === undefined) return null;
  return `${impossible.metric} is longer than the whole trial (${String(wallMs)} ms)`;
}

/**
 * True if a trial's value may be believed, where its samples are not read: no clock gives a time below 0,
 * or one longer than the trial.
 * @param wallMs milliseconds of the whole trial; without it only what no trial gives is refused
 */
export function isBelievableValue(
  value: unknown,
  {
    metric,
    unit,
    wallMs,
  }: { readonly metric: string; readonly unit: string; readonly wallMs?: number },
): value is number {
  if (!isCredible(value)) return false;
  const samples = [{ metric, unit, warmUp: [], timed: [value] }];
  if (!samples.every(isPossible)) return false;
  return wallMs === undefined || impossibleIn(wallMs, { samples }) === null;
}

/** True if every number in it is credible, at any depth. */
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
  const { job, outcome, wallMs } = trial;
  if (outcome.kind !== 'completed') return trial;
  const { result, readings } = outcome;
  if (!isAllCredible([result, readings, wallMs]) || !result.samples.every(isPossible)) {
    return failedBy(trial, 'it is stored with a number that no clock and no counter gives');
  }
  const impossible = impossibleIn(wallMs, result, job.case.benchmark.guest);
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
