import { median } from 'simple-statistics';
import { benjaminiHochberg } from './stats/benjamini-hochberg.ts';
import { findChangePoints, shortestSegment, type ChangePoint } from './stats/change-points.ts';
import { fewestBefore, freshStep, type FreshStep } from './stats/fresh-step.ts';
import type { SeededGenerator } from './stats/random.ts';
import { commonSteps, type Placed } from './common-course.ts';

/** A series as the search sees it: ln of its medians, night after night. */
export interface Watched extends Placed {
  /** Indices of nights before which something changed that is known: a browser's version, the kernel. */
  readonly changed: readonly number[];
}

export interface Searched {
  /** Changes of level that are settled: at least six nights lie on either side. */
  readonly changePoints: readonly ChangePoint[];
  /** A change of the newest nights; null where there is none that deserves a look. */
  readonly suspect: FreshStep | null;
}

/** A change is looked for so many nights after it: two nights at least have to agree on it. */
const fewestNights = 2;
const mostNights = shortestSegment - 1;

/** A machine may have two bad nights in a row, for all of its series; two of three is a change. */
const fewestNightsTogether = 3;

/**
 * Where something is known to have changed, a suspect costs one re-measurement, which then decides.
 * With 0.2 one equal series in six is measured in vain on the nights after an update, and 9 of 10
 * steps of 5 % at 2 % noise are seen within three nights where a night remembers half of the one
 * before (`npm run bench -- nights`). What is not seen by then is small, and
 * more nights speak of it: less need be measured in vain for it.
 */
const knownLevel = { early: 0.2, late: 0.05 };
const earlyNights = 3;

/**
 * Where nothing is known to have changed there is no old state to measure against, so nothing ever
 * confirms such a suspect. It has to speak for itself: of nights on which nothing happened at all, at
 * most 5 % raise one, half of them for a series alone among all of the night (Benjamini & Hochberg), half
 * for series that changed together. Of the latter's names one in four may be wrong.
 */
const unknownRate = { alone: 0.025, together: 0.025, named: 0.25 };

/** Searches the series of one farm for what changed, tonight's suspects among them. */
export function searchAll(
  watched: readonly Watched[],
  generator: SeededGenerator,
): readonly Searched[] {
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

/** Series before whose newest nights something is known to have changed have that to blame. */
function stepsTogether(
  watched: readonly Watched[],
  looks: readonly Look[],
  generator: SeededGenerator,
): StepsByIndex {
  const placed = looks.flatMap(({ level, hasCause }, index) => {
    const { nights, group } = watched[index] ?? { nights: [], group: '' };
    return hasCause ? [] : [{ index, values: level, nights, group }];
  });
  const steps = commonSteps(placed, {
    ...{ generator, fresh: [fewestNightsTogether, mostNights] },
    ...{ level: unknownRate.together, rate: unknownRate.named },
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
  /** Whether something is known to have changed before one of the newest nights. */
  readonly hasCause: boolean;
  /** A step where something is known to have changed. */
  readonly known: FreshStep | null;
  /** The best step anywhere among the newest nights, for the whole farm's table to judge. */
  readonly unknown: FreshStep | null;
}

function lookAt({ values, changed }: Watched, generator: SeededGenerator): Look {
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
    ...{ changePoints, level, known },
    hasCause: causes.length > 0,
    unknown: isSearched ? freshStep(level, { splits, generator }) : null,
  };
}

function isKnownStep(step: FreshStep): boolean {
  const level = step.nights <= earlyNights ? knownLevel.early : knownLevel.late;
  return step.p <= level && isAgreed(step);
}

/** Most of the nights since the change, and at least two, lie beyond the level before it. */
function isAgreed({ agreeing, nights }: FreshStep): boolean {
  return agreeing >= fewestNights && 2 * agreeing > nights;
}

/**
 * The values with everything before the last change point put on the level after it, so that the
 * noise of all nights is known though the level is that of the newest.
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
