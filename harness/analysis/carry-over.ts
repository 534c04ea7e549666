import { caseName } from '../model/case.ts';
import { machinesOf } from '../model/machines.ts';
import type { Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { shiftInterval } from './stats/shift-interval.ts';
import { defaultAlpha } from './stats/verdict.ts';
import type { Pair, Side } from './decisions.ts';
import { isCompleted, valueOf, withoutQuarantined } from './series.ts';

/** What a side's trials gave right after one of the other side, against right after one of its own. */
export interface CarryOver {
  /** After the other ÷ after its own; 1 where nothing is carried over. */
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly afterOwn: number;
  readonly afterOther: number;
}

export interface CarryOvers {
  /** Null with too few trials of either kind. */
  readonly a: CarryOver | null;
  readonly b: CarryOver | null;
}

/** Of each kind; fewer would only be noise with a wide interval. */
const fewest = 6;

/** Whoever ended longer ago than this, as before a comparison went on, leaves nothing behind. */
const forgottenMs = 60_000;

interface Surroundings {
  readonly presences: Plan['presences'];
  /** A time in ISO 8601 as milliseconds. */
  readonly msOf: (time: string) => number;
}

/**
 * Whether a trial of a comparison is slower or faster for what ran before it. The random order gives
 * every side predecessors of both kinds. Per side, because what one side alone leaves behind, such as
 * heat, slows itself and the other: both sides together would hide it.
 *
 * By the ranks of the trials (`shiftInterval`), at 95 %, for one look: a hint at what the machine does,
 * no verdict. Sides on two machines leave each other nothing.
 */
export function carryOversOf(
  trials: readonly Trial[],
  { a, b, metric }: Pair,
  { presences, msOf }: Surroundings,
): CarryOvers {
  const machines = machinesOf({ presences });
  if (machines.get(a.deviceId) !== machines.get(b.deviceId)) return { a: null, b: null };
  const steps = stepsOf(trials, { sides: [a, b], msOf });
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

/** Each trial with the one right before it, as they ran: repeats have their place in it, what was skipped has none. */
function stepsOf(
  trials: readonly Trial[],
  { sides, msOf }: { readonly sides: readonly Side[] } & Pick<Surroundings, 'msOf'>,
): readonly Step[] {
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

/** None of a trial that does not count, or whose value has no logarithm. */
function countedValue(trial: Trial, metric: Pair['metric']): readonly number[] {
  return withoutQuarantined([trial])
    .filter(isCompleted)
    .flatMap((one) => valueOf(one, metric) ?? [])
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
