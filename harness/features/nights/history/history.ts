import { median } from 'simple-statistics';
import type {
  Trend,
  TrendBreak,
  TrendChange,
  TrendLevel,
  Trends,
} from '../../../core/results/index.ts';
import type { Builds } from '../../../core/results/nights.ts';
import type { NightValue } from '../../../core/model/night.ts';
import { groupBy } from '../../../core/analysis/grouping.ts';
import { findChangePoints } from './change-points.ts';
import type { FreshStep } from './fresh-step.ts';
import type { SeededGenerator } from '../../../core/analysis/stats/random.ts';
import { attribute, type Attribution, poolKey, whyApart } from './attribution.ts';
import { searchAll, type SearchResult } from './suspicion.ts';

/** Case × target × metric over nights that may be pooled. */
export interface NightSeries {
  readonly caseName: string;
  readonly deviceId: string;
  readonly metric: NightValue['metric'];
  /** The oldest first; never empty. */
  readonly nights: readonly NightValue[];
  /** The differences from the series of the same case, target and metric before it. */
  readonly begunBy: readonly string[];
}

/** A change of a series' level. */
export interface NightChange {
  /** Index of the first night after the change. */
  readonly index: number;
  /** The run of that night. */
  readonly run: number;
  readonly startedAt: string;
  /** Median before (since the change before that) and after (until the next), in the metric's unit. */
  readonly before: number;
  readonly after: number;
  /** after / before. */
  readonly ratio: number;
  /** Probability of so clear a change if nothing changed. */
  readonly p: number;
  readonly attribution: Attribution;
}

export interface SearchedSeries {
  readonly series: NightSeries;
  /** Settled changes in order. */
  readonly changes: readonly NightChange[];
  /** A change of the newest nights that is worth measuring again. */
  readonly suspect: NightChange | null;
  /** Why it was not searched; null if it was. */
  readonly notSearched: string | null;
}

/** Makes a series of each case × target × metric, and a new one where nights must not be pooled. */
export function makeNightSeries(values: readonly NightValue[]): readonly NightSeries[] {
  const lines = groupBy(values, ({ caseName, target, metric }) =>
    [target.device.id, caseName, metric.id].join('\n'),
  );
  return [...lines.values()].flatMap((line) => {
    const parts = [...groupBy(line, poolKey).values()];
    return parts.flatMap((nights, order) => {
      const [first] = nights;
      if (first === undefined) return [];
      const last = parts[order - 1]?.at(-1);
      return [
        {
          caseName: first.caseName,
          deviceId: first.target.device.id,
          metric: first.metric,
          nights,
          begunBy: last === undefined ? [] : whyApart(last, first),
        },
      ];
    });
  });
}

interface SearchOrder {
  /** Only series with a value of this run are searched for suspects. */
  readonly run: number;
  readonly generator: SeededGenerator;
}

/** Searches all series for changes of level, and those of this run for suspects. */
export function searchHistory(
  all: readonly NightSeries[],
  { run, generator }: SearchOrder,
): readonly SearchedSeries[] {
  const reasons = new Map(all.map((series) => [series, whyNotSearched(series)]));
  const isLive = (series: NightSeries): boolean =>
    series.nights.at(-1)?.run.id === run && reasons.get(series) === null;
  const live = all.filter(isLive);
  const places = placesOfRuns(live);
  const searched = searchAll(
    live.map((series) => ({
      values: logsOf(series),
      changed: changedNights(series),
      group: series.deviceId,
      nights: series.nights.map(({ run: { id } }) => places.get(id) ?? 0),
    })),
    generator,
  );
  const bySeries = new Map(live.map((series, order) => [series, searched[order]]));
  return all.map((series) => {
    const notSearched = reasons.get(series) ?? null;
    if (notSearched !== null) return { series, changes: [], suspect: null, notSearched };
    const found = bySeries.get(series) ?? searchPast(series, generator);
    return { series, ...describe(series, found), notSearched };
  });
}

/** Orders the runs by their start: imported runs have later numbers than newer ones. */
function placesOfRuns(all: readonly NightSeries[]): ReadonlyMap<number, number> {
  const runs = new Map(all.flatMap(({ nights }) => nights.map(({ run }) => [run.id, run])));
  const sorted = [...runs.values()].sort(
    (one, other) => one.startedAt.localeCompare(other.startedAt) || one.id - other.id,
  );
  return new Map(sorted.map(({ id }, place) => [id, place]));
}

/** A series that ended has changes and no suspect. */
function searchPast(series: NightSeries, generator: SeededGenerator): SearchResult {
  return { changePoints: findChangePoints(logsOf(series), { generator }), suspect: null };
}

/** A ratio needs values above 0: a counter of 0 in one night has no ratio with any other night. */
function whyNotSearched({ nights }: NightSeries): string | null {
  const strange = nights.find(({ median: value }) => !(value > 0 && Number.isFinite(value)));
  if (strange === undefined) return null;
  return `no ratio can be made of ${String(strange.median)} ${strange.metric.unit} in run ${String(strange.run.id)}`;
}

function logsOf({ nights }: NightSeries): readonly number[] {
  return nights.map(({ median: value }) => Math.log(value));
}

/** Indices of nights with a known change before them. */
function changedNights({ nights }: NightSeries): readonly number[] {
  return nights.flatMap((night, index) => {
    const before = nights[index - 1];
    if (before === undefined) return [];
    return attribute(before, night).kind === 'nothing-known' ? [] : [index];
  });
}

function describe(
  series: NightSeries,
  { changePoints, suspect }: SearchResult,
): Pick<SearchedSeries, 'changes' | 'suspect'> {
  const starts = [0, ...changePoints.map(({ index }) => index)];
  const medianBetween = (from: number, to: number | undefined): number =>
    median(series.nights.slice(from, to).map(({ median: value }) => value));
  const changes = changePoints.map(({ index, p }, order) =>
    changeAt(series, index, {
      p,
      before: medianBetween(starts[order] ?? 0, index),
      after: medianBetween(index, starts[order + 2]),
    }),
  );
  return { changes, suspect: suspect === null ? null : suspectOf(series, suspect) };
}

function suspectOf(series: NightSeries, { index, p, before, after }: FreshStep): NightChange {
  return changeAt(series, index, { p, before: Math.exp(before), after: Math.exp(after) });
}

function changeAt(
  { nights }: NightSeries,
  index: number,
  levels: Pick<NightChange, 'p' | 'before' | 'after'>,
): NightChange {
  const [before, after] = [nights[index - 1], nights[index]];
  if (before === undefined || after === undefined) throw new RangeError('a change has two sides');
  return {
    index,
    run: after.run.id,
    startedAt: after.run.startedAt,
    ...levels,
    ratio: levels.after / levels.before,
    attribution: attribute(before, after),
  };
}

/** Returns the title of a series: `duration of fib n=20 on chromium`. */
export function seriesTitle({ metric, caseName, deviceId }: NightSeries): string {
  return `${metric.title.toLowerCase()} of ${caseName} on ${deviceId}`;
}

/** Describes the nights of a suite for a report: the changed series, newest change first. */
export function describeTrends(
  searched: readonly SearchedSeries[],
  suite: string,
): Omit<Trends, 'needed'> {
  const nights = new Set<number>();
  for (const { series } of searched) for (const { run } of series.nights) nights.add(run.id);
  return {
    suite,
    nights: nights.size,
    series: searched.filter(({ notSearched }) => notSearched === null).length,
    trends: searched
      .filter(({ changes, suspect }) => changes.length > 0 || suspect !== null)
      .map(trendOf)
      .sort((one, other) => lastOf(other).localeCompare(lastOf(one))),
    breaks: listBreaks(searched.map(({ series }) => series)),
  };
}

/** Lists where series begin because a device was measured in another way than before. */
export function listBreaks(all: readonly NightSeries[]): readonly TrendBreak[] {
  const begun = all.filter(({ begunBy }) => begunBy.length > 0);
  const groups = groupBy(begun, ({ deviceId, nights, begunBy }) =>
    JSON.stringify([deviceId, nights[0]?.run.id, begunBy]),
  );
  return [...groups.values()]
    .flatMap((ours) => {
      const [{ deviceId, nights, begunBy } = { deviceId: '', nights: [], begunBy: [] }] = ours;
      const run = nights[0]?.run;
      if (run === undefined) return [];
      const { id, startedAt } = run;
      return [
        { targetId: deviceId, run: id, startedAt, differences: begunBy, series: ours.length },
      ];
    })
    .sort((one, other) => other.startedAt.localeCompare(one.startedAt));
}

function trendOf({ series, changes, suspect }: SearchedSeries): Trend {
  const all = suspect === null ? changes : [...changes, suspect];
  return {
    targetId: series.deviceId,
    caseName: series.caseName,
    metric: series.metric.title.toLowerCase(),
    unit: series.metric.unit,
    nights: series.nights.map(({ run, median: value }) => ({
      run: run.id,
      startedAt: run.startedAt,
      median: value,
    })),
    levels: levelsOf(series, all),
    changes: all.map((change) => ({
      ...describeChange(change, change === suspect),
      builds: nameBuilds(series, change),
    })),
  };
}

function nameBuilds({ nights }: NightSeries, { index }: NightChange): Builds {
  const versionAt = (at: number): string => nights[at]?.target.browser.version ?? '';
  return { before: versionAt(index - 1), after: versionAt(index) };
}

function describeChange(change: NightChange, isSuspect: boolean): TrendChange {
  const { run, startedAt, ratio, attribution } = change;
  return {
    run,
    startedAt,
    ratio,
    cause: attribution.text,
    state: isSuspect ? 'suspect' : 'settled',
  };
}

function levelsOf({ nights }: NightSeries, changes: readonly NightChange[]): readonly TrendLevel[] {
  const starts = [0, ...changes.map(({ index }) => index)];
  return starts.map((from, order) => {
    const to = (starts[order + 1] ?? nights.length) - 1;
    return { from, to, median: median(nights.slice(from, to + 1).map((night) => night.median)) };
  });
}

function lastOf({ changes }: Trend): string {
  return changes.at(-1)?.startedAt ?? '';
}
