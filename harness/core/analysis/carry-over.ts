import type { CarryOver, Course } from '../results/verdicts.ts';
import { caseName } from '../model/case.ts';
import { assignMachines } from '../model/machines.ts';
import type { Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { shiftInterval } from './stats/shift-interval.ts';
import { defaultAlpha } from './stats/verdict.ts';
import type { Pair, Side } from './pairs.ts';
import { isCompleted, readValue, withoutQuarantined } from './series.ts';

/** Trials of each kind; fewer would only be noise with a wide interval. */
const fewest = 6;

/** A trial that ended longer ago, as before a comparison continued, no longer affects the next. */
const forgottenMs = 60_000;

/** A time in ISO 8601 as milliseconds. */
// eslint-disable-next-line no-restricted-globals -- Parsing reads no clock.
export const msOf = (time: string): number => Date.parse(time);

/**
 * Measures whether a trial of a comparison is slower or faster because of the trial before it. The
 * random order gives every side predecessors of both kinds. Each side is measured separately: what
 * one side leaves behind, such as heat, slows both sides, so both together would hide it.
 *
 * Uses the ranks of the trials (`shiftInterval`) at 95 %, for one look: a hint about the machine,
 * no verdict. Sides on two machines do not affect each other.
 */
export function computeCarryOvers(
  trials: readonly Trial[],
  { a, b, metric }: Pair,
  presences: Plan['presences'],
): Course['carryOver'] {
  const machines = assignMachines({ presences });
  if (machines.get(a.deviceId) !== machines.get(b.deviceId)) return { a: null, b: null };
  const steps = stepsOf(trials, [a, b]);
  const of = (side: Side, other: Side): CarryOver | null => {
    const after = (before: Side): readonly number[] =>
      steps.flatMap(({ previous, trial }) =>
        isOf(trial, side) && isOf(previous, before) ? countedValue(trial, metric) : [],
      );
    return contrast(after(side), after(other));
  };
  return { a: of(a, b), b: of(b, a) };
}

interface Step {
  readonly previous: Trial;
  readonly trial: Trial;
}

/**
 * Each trial with the one right before it, in the order of execution: repeats count, skipped trials
 * do not.
 */
function stepsOf(trials: readonly Trial[], sides: readonly Side[]): readonly Step[] {
  const pause = (before: Trial, after: Trial): number =>
    msOf(after.startedAt) - msOf(before.startedAt) - before.wallMs;
  const ran = trials
    .filter((trial) => trial.outcome.kind !== 'skipped' && sides.some((side) => isOf(trial, side)))
    .toSorted((one, other) => msOf(one.startedAt) - msOf(other.startedAt));
  return ran.flatMap((trial, index) => {
    const previous = ran[index - 1];
    return previous !== undefined && pause(previous, trial) < forgottenMs
      ? [{ previous, trial }]
      : [];
  });
}

function isOf({ job }: Trial, side: Side): boolean {
  return job.deviceId === side.deviceId && caseName(job.case) === caseName(side.case);
}

/** Empty for a trial that does not count, or whose value has no logarithm. */
function countedValue(trial: Trial, metric: Pair['metric']): readonly number[] {
  return withoutQuarantined([trial])
    .filter(isCompleted)
    .flatMap((one) => readValue(one, metric) ?? [])
    .filter((value) => value > 0 && Number.isFinite(value));
}

function contrast(own: readonly number[], other: readonly number[]): CarryOver | null {
  if (own.length < fewest || other.length < fewest) return null;
  const seen = shiftInterval(other.map(Math.log), own.map(Math.log), 1 - defaultAlpha);
  return {
    ratio: Math.exp(seen.shift),
    low: Math.exp(seen.low),
    high: Math.exp(seen.high),
    afterOwn: own.length,
    afterOther: other.length,
  };
}
