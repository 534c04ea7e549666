import { max, mean, min } from 'simple-statistics';
import type { SeriesTrial, Statistics, StoredSeries, Summary } from '../model/history.ts';
import { medianInterval } from './stats/median-interval.ts';

/**
 * Summarises a series as the reports do: quarantined trials are left out unless there are no
 * others.
 */
export function summarise({ trials, planned, ...series }: StoredSeries): Summary {
  const completed = trials.filter(({ outcome }) => outcome === 'completed');
  const excluded = completed.filter(isExcluded);
  const counted = valuesOf(completed.filter((trial) => !isExcluded(trial)));
  const others = valuesOf(excluded);
  const values = counted.length > 0 ? counted : others;
  return {
    ...series,
    planned,
    trials: values.length,
    quarantined: excluded.length,
    notCompleted: trials.length - completed.length,
    fromQuarantined: counted.length === 0 && others.length > 0,
    statistics: values.length === 0 ? null : statisticsOf(values),
  };
}

function isExcluded({ quarantine }: SeriesTrial): boolean {
  return quarantine.length > 0;
}

function statisticsOf(values: readonly number[]): Statistics {
  const { median: middle, low, high, confidence } = medianInterval(values);
  const all = [...values];
  return {
    mean: mean(all),
    median: middle,
    minimum: min(all),
    maximum: max(all),
    low,
    high,
    confidence,
  };
}

function valuesOf(trials: readonly SeriesTrial[]): readonly number[] {
  return trials.flatMap(({ value }) => value ?? []);
}
