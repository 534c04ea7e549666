import { median } from 'simple-statistics';
import type { Trend, TrendChange, TrendLevel, Trends } from '../../reports/findings.ts';
import type { NightChange, NightSeries, SearchedSeries } from './history.ts';

/** What a report says of the nights of a suite: the series in which something changed, newest change first. */
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
  };
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
    changes: all.map((change) => describeChange(change, change === suspect)),
  };
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
