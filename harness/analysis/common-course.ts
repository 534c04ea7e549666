import { benjaminiHochberg } from './stats/benjamini-hochberg.ts';
import { fewestBefore, freshStep, type FreshStep } from './stats/fresh-step.ts';
import { distancesOf, nightsNoise } from './stats/nights-noise.ts';
import type { SeededGenerator } from './stats/random.ts';

/** A series on one level, with what tells its nights and its kin. */
export interface Placed {
  readonly values: readonly number[];
  /** Which night each value is of: comparable between the series of one farm, ascending. */
  readonly nights: readonly number[];
  /** What may change for several series at once: their device. */
  readonly group: string;
}

export interface CommonRules {
  readonly generator: SeededGenerator;
  /** How many of the newest nights a change may have: at least, and at most. */
  readonly fresh: readonly [fewest: number, most: number];
  /** Of nights on which nothing happened, the share on which some group may be said to have changed. */
  readonly level: number;
  /** Of the series that are then named, the share of which nothing may be true. */
  readonly rate: number;
}

/** A group of fewer series has no course that would tell more than they do. */
const fewestSeries = 4;

/**
 * The steps of series that changed in the same night, of which each alone would be too weak to be told
 * from noise: of each series its step at that night, null where it has none.
 *
 * First the course that a group of series has in common, night by night the mean of their distances
 * from their own levels, is searched for a fresh step like any series (`freshStep`). What all of them do
 * together on an ordinary bad night is in the history of that course, so it passes for noise, and it
 * need not be assumed that series are independent. Only where the course has a step (one that stands
 * among those of all groups, each device's and that of all together: Benjamini & Hochberg at `level`) are
 * its series looked at, at that night alone, and those named that stand among the others of the group (at
 * `rate`).
 */
export function commonSteps(
  series: readonly Placed[],
  rules: CommonRules,
): readonly (FreshStep | null)[] {
  const steps: (FreshStep | null)[] = series.map(() => null);
  const courses = groupsOf(series, rules).flatMap((members) => {
    const found = stepOfCourse(
      members.map(({ one }) => one),
      rules,
    );
    return found === null ? [] : [{ members, ...found }];
  });
  const stands = benjaminiHochberg(
    courses.map(({ p }) => p),
    rules.level,
  );
  for (const { members, night } of courses.filter((_, index) => stands[index] === true)) {
    for (const { place, step } of namedIn(members, night, rules)) steps[place] ??= step;
  }
  return steps;
}

interface Member {
  readonly one: Placed;
  /** Index among all series. */
  readonly place: number;
}

/** Each device's series, then all together; a farm with one device is one group. */
function groupsOf(
  series: readonly Placed[],
  { fresh: [, most] }: CommonRules,
): readonly (readonly Member[])[] {
  const all = series.flatMap((one, place) =>
    one.values.length - most >= fewestBefore ? [{ one, place }] : [],
  );
  const names = [...new Set(all.map(({ one }) => one.group))];
  const devices = names.map((name) => all.filter(({ one }) => one.group === name));
  const groups = names.length > 1 ? [...devices, all] : devices;
  return groups.filter((members) => members.length >= fewestSeries);
}

interface CourseStep {
  /** The first night after it. */
  readonly night: number;
  readonly p: number;
}

/** The best step of the course that the series have in common; null where there is too little of it. */
function stepOfCourse(series: readonly Placed[], rules: CommonRules): CourseStep | null {
  const { nights, values } = commonCourse(series, rules);
  const [fewest, most] = rules.fresh;
  const splits = values.flatMap((_, index) => {
    const since = values.length - index;
    return index >= fewestBefore && since >= fewest && since <= most ? [index] : [];
  });
  if (splits.length === 0) return null;
  const step = freshStep(values, { splits, generator: rules.generator });
  const night = step === null ? undefined : nights[step.index];
  return step === null || night === undefined ? null : { night, p: step.p };
}

/** Night by night the mean distance of the series from their levels; nights that half of them have. */
function commonCourse(
  series: readonly Placed[],
  { fresh: [, most] }: CommonRules,
): { readonly nights: readonly number[]; readonly values: readonly number[] } {
  const byNight = new Map<number, number[]>();
  for (const { nights, values } of series) {
    const distances = distancesOf(values, nightsNoise(values.slice(0, -most)));
    for (const [index, night] of nights.entries()) {
      const seen = byNight.get(night) ?? [];
      seen.push(distances[index] ?? 0);
      byNight.set(night, seen);
    }
  }
  const course = [...byNight]
    .filter(([, distances]) => 2 * distances.length >= series.length)
    .sort(([one], [other]) => one - other);
  return {
    nights: course.map(([night]) => night),
    values: course.map(([, distances]) => sum(distances) / distances.length),
  };
}

function namedIn(
  members: readonly Member[],
  night: number,
  { generator, rate }: CommonRules,
): readonly { readonly place: number; readonly step: FreshStep }[] {
  const steps = members.flatMap(({ one, place }) => {
    const split = one.nights.findIndex((own) => own >= night);
    const step = split < 0 ? null : freshStep(one.values, { splits: [split], generator });
    return step === null ? [] : [{ place, step }];
  });
  const stands = benjaminiHochberg(
    steps.map(({ step }) => step.p),
    rate,
  );
  return steps.filter((_, index) => stands[index] === true);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
