import { max, mean, median, min } from 'simple-statistics';
import type {
  ListedTrial,
  Statistics,
  StoredSeries,
  Summary,
  ValuedTrial,
} from '../model/history.ts';
import { medianInterval } from '../stats/median-interval.ts';

/**
 * The statistics of a series as the reports have them: a trial's value is the median of its timed
 * iterations, and quarantined trials are left out unless there are no others.
 */
export function summarise({ trials, planned, ...series }: StoredSeries): Summary {
  const completed = trials.filter(({ outcome }) => outcome === 'completed');
  const counted = valuesOf(completed.filter(({ quarantined }) => !quarantined));
  const others = valuesOf(completed.filter(({ quarantined }) => quarantined));
  const values = counted.length > 0 ? counted : others;
  return {
    ...series,
    planned,
    trials: values.length,
    quarantined: completed.filter(({ quarantined }) => quarantined).length,
    notCompleted: trials.length - completed.length,
    fromQuarantined: counted.length === 0 && others.length > 0,
    statistics: values.length === 0 ? null : statisticsOf(values),
  };
}

function statisticsOf(values: readonly number[]): Statistics {
  const { median: middle, low, high, confidence } = medianInterval(values);
  const all = [...values];
  return {
    mean: mean(all),
    median: middle,
    minimum: min(all),
    maximum: max(all),
    ...{ low, high, confidence },
  };
}

function valuesOf(trials: readonly { readonly timed: readonly number[] }[]): readonly number[] {
  return trials.flatMap(({ timed }) => valueOfTimed(timed) ?? []);
}

/** A trial's value: the median of its timed iterations; null when it has none. */
export function valueOfTimed(timed: readonly number[]): number | null {
  return timed.length === 0 ? null : median([...timed]);
}

/** A trial with its values instead of its samples. */
export function evaluate({ samples, ...trial }: ListedTrial): ValuedTrial {
  return {
    ...trial,
    values: samples.map(({ metric, unit, timed }) => ({
      ...{ metric, unit },
      value: valueOfTimed(timed),
      iterations: timed.length,
    })),
  };
}
