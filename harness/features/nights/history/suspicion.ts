import { mean, median } from 'simple-statistics';
import { benjaminiHochberg } from '../../../core/analysis/stats/benjamini-hochberg.ts';
import { type ChangePoint, findChangePoints, shortestSegment } from './change-points.ts';
import { fewestBefore, freshStep, type FreshStep } from './fresh-step.ts';
import { distancesOf, nightsNoise } from './nights-noise.ts';
import type { SeededGenerator } from '../../../core/analysis/stats/random.ts';

/** A series as the search sees it: ln of its medians, night after night. */
export interface WatchedSeries extends PlacedSeries {
  /** Indices of nights with a known change before them: a browser's version, the kernel. */
  readonly changed: readonly number[];
}

export interface SearchResult {
  /** Settled changes of level: with at least six nights on either side. */
  readonly changePoints: readonly ChangePoint[];
  /** A change of the newest nights; null if none is worth a look. */
  readonly suspect: FreshStep | null;
}

/** The nights since a change: at least two have to agree on it. */
const fewestNights = 2;
const mostNights = shortestSegment - 1;

/** A machine may have two bad nights in a row, in all of its series; two of three are a change. */
const fewestNightsTogether = 3;

/**
 * With a known change a suspect costs one re-measurement, which then decides. At 0.2, one equal
 * series in six is measured in vain on the nights after an update, and 9 of 10 steps of 5 % at 2 %
 * noise are found within three nights where a night remembers half of the one before (`npm run
 * bench -- nights`). A change missed by then is small, and more nights show it, so later suspects
 * need a smaller p.
 */
const knownLevel = { early: 0.2, late: 0.05 };
const earlyNights = 3;

/**
 * Without a known change an old state to measure is missing, so nothing confirms such a suspect. At
 * most 5 % of nights on which nothing happened may raise one: half of them for a single series
 * among all of the night (Benjamini & Hochberg), half for series that changed together. Of the
 * latter one in four may be wrong.
 */
const unknownRate = { alone: 0.025, together: 0.025, named: 0.25 };

/** Searches the series of one farm for changes, including suspects of this night. */
export function searchAll(
  watched: readonly WatchedSeries[],
  generator: SeededGenerator,
): readonly SearchResult[] {
  const looks = watched.map((one) => lookAt(one, generator));
  const alone = stepsAlone(looks);
  const together = stepsTogether(watched, looks, generator);
  return looks.map(({ changePoints, known }, index) => ({
    changePoints,
    suspect: known ?? alone.get(index) ?? together.get(index) ?? null,
  }));
}

type StepsByIndex = ReadonlyMap<number, FreshStep>;

function stepsAlone(looks: readonly Look[]): StepsByIndex {
  const unexplained = looks.flatMap((look, index) =>
    look.known === null && look.unknown !== null ? [{ index, step: look.unknown }] : [],
  );
  const stands = benjaminiHochberg(
    unexplained.map(({ step }) => step.p),
    unknownRate.alone,
  );
  return new Map(
    unexplained
      .filter(({ step }, order) => stands[order] === true && isAgreed(step))
      .map(({ index, step }) => [index, step]),
  );
}

/** Series with a known change before their newest nights are left out. */
function stepsTogether(
  watched: readonly WatchedSeries[],
  looks: readonly Look[],
  generator: SeededGenerator,
): StepsByIndex {
  const placed = looks.flatMap(({ level, hasCause }, index) => {
    const { nights, group } = watched[index] ?? { nights: [], group: '' };
    return hasCause ? [] : [{ index, values: level, nights, group }];
  });
  const steps = commonSteps(placed, {
    generator,
    fresh: [fewestNightsTogether, mostNights],
    level: unknownRate.together,
    rate: unknownRate.named,
  });
  return new Map(
    placed.flatMap(({ index }, order) => {
      const step = steps[order] ?? null;
      return step !== null && isAgreed(step) ? [[index, step] as const] : [];
    }),
  );
}

interface Look {
  readonly changePoints: readonly ChangePoint[];
  /** All values on the level of the newest. */
  readonly level: readonly number[];
  /** True if a change is known before one of the newest nights. */
  readonly hasCause: boolean;
  /** A step at a known change. */
  readonly known: FreshStep | null;
  /** The best step anywhere among the newest nights, to be judged among all series. */
  readonly unknown: FreshStep | null;
}

function lookAt({ values, changed }: WatchedSeries, generator: SeededGenerator): Look {
  const changePoints = findChangePoints(values, { generator });
  const level = onOneLevel(values, changePoints);
  const isFresh = (index: number): boolean => {
    const nights = values.length - index;
    return index >= fewestBefore && nights >= fewestNights && nights <= mostNights;
  };
  const splits = values.flatMap((_, index) => (isFresh(index) ? [index] : []));
  const causes = changed.filter(isFresh);
  const atCause = causes.length === 0 ? null : freshStep(level, { splits: causes, generator });
  const known = atCause !== null && isKnownStep(atCause) ? atCause : null;
  const isSearched = known === null && splits.length > 0;
  return {
    changePoints,
    level,
    known,
    hasCause: causes.length > 0,
    unknown: isSearched ? freshStep(level, { splits, generator }) : null,
  };
}

function isKnownStep(step: FreshStep): boolean {
  const level = step.nights <= earlyNights ? knownLevel.early : knownLevel.late;
  return step.p <= level && isAgreed(step);
}

/**
 * Returns whether most of the nights since the change, and at least two, lie beyond the level
 * before it.
 */
function isAgreed({ agreeing, nights }: FreshStep): boolean {
  return agreeing >= fewestNights && 2 * agreeing > nights;
}

/**
 * Moves everything before the last change point to the level after it, so that the noise of all
 * nights is known at the newest level.
 */
function onOneLevel(
  values: readonly number[],
  changePoints: readonly ChangePoint[],
): readonly number[] {
  const starts = [0, ...changePoints.map(({ index }) => index)];
  const parts = starts.map((start, order) => values.slice(start, starts[order + 1]));
  const newest = median([...(parts.at(-1) ?? values)]);
  return parts.flatMap((part) => {
    const shift = newest - median([...part]);
    return part.map((value) => value + shift);
  });
}

/** A series on one level, with its nights and its group. */
export interface PlacedSeries {
  readonly values: readonly number[];
  /** The night of each value: ascending, and comparable between the series of one farm. */
  readonly nights: readonly number[];
  /** The device: what may change for several series at once. */
  readonly group: string;
}

interface CommonRules {
  readonly generator: SeededGenerator;
  /** The fewest and the most nights since a change. */
  readonly fresh: readonly [fewest: number, most: number];
  /** The largest share of false alarms among nights without a change. */
  readonly level: number;
  /** The share of the named series that may be wrong. */
  readonly rate: number;
}

/** A smaller group has no common course that shows more than its series. */
const fewestSeries = 4;

/**
 * Finds the steps of series that changed in the same night, of which each alone is too weak to be
 * distinguished from noise: for each series its step at that night, null without one.
 *
 * First the common course of a group of series, the mean distance from their levels night by night,
 * is searched for a fresh step like any series (`freshStep`). The history of that course holds
 * ordinary bad nights, which count as noise. The series need not be independent. Only if the course
 * has a step (among those of all groups, each device's and that of all together: Benjamini &
 * Hochberg at `level`), its series are searched at that night alone, and those are named whose step
 * holds among the group (at `rate`).
 */
function commonSteps(
  series: readonly PlacedSeries[],
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
  readonly one: PlacedSeries;
  /** Index among all series. */
  readonly place: number;
}

/** Groups each device's series, then all together; a farm with one device is one group. */
function groupsOf(
  series: readonly PlacedSeries[],
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

/** Finds the best step of the common course; null if there are too few nights. */
function stepOfCourse(series: readonly PlacedSeries[], rules: CommonRules): CourseStep | null {
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

/** Returns the mean distance of the series from their levels, for nights that half of them have. */
function commonCourse(
  series: readonly PlacedSeries[],
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
    values: course.map(([, distances]) => mean(distances)),
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
