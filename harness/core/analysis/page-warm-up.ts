import { median } from 'simple-statistics';
import { formatQuantity } from '../../../reports/html/number.ts';
import { caseName, type Metric } from '../model/case.ts';
import type { Trial } from '../model/trial.ts';
import { groupBy } from './grouping.ts';
import { isCompleted } from './series.ts';

/** Fewer values of one page say nothing of their course. */
const fewestValues = 8;

/** The least ratio of the first quarter of a page's values to the last one. */
const fallsBy = 1.1;

/** A number of a page that was still warming up when it was measured, in most trials of a case. */
export interface WarmingUp {
  readonly metric: Metric;
  readonly deviceId: string;
  readonly trials: number;
  readonly of: number;
  /** Medians over trials of the first value, and of the last quarter of the values. */
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the numbers of versions of a page whose values fell within the page: code that becomes
 * faster while it is timed. A difference between two versions is then one of a compiler, too. One entry
 * a metric and device, of the case that fell most.
 */
export function warmingUp(trials: readonly Trial[]): readonly WarmingUp[] {
  const found = [
    ...groupBy(trials.filter(isCompleted), ({ job }) => `${caseName(job.case)}\n${job.deviceId}`),
  ].flatMap(([, ours]) => {
    const [{ job } = { job: null }] = ours;
    return (job?.case.benchmark.metrics ?? []).flatMap((metric) => {
      const courses = ours.flatMap(({ outcome }) => {
        const timed = outcome.result.samples.find((one) => one.metric === metric.id)?.timed ?? [];
        return metric.direction === 'lower' && timed.length >= fewestValues
          ? [courseOf(timed)]
          : [];
      });
      const falling = courses.filter(({ early, late }) => early >= fallsBy * late);
      if (job === null || 2 * falling.length <= courses.length) return [];
      const [first, last] = [
        median(falling.map((one) => one.first)),
        median(falling.map(({ late }) => late)),
      ];
      const counts = { trials: falling.length, of: courses.length };
      return [{ metric, deviceId: job.deviceId, ...counts, first, last }];
    });
  });
  const most = found.toSorted((one, other) => other.first / other.last - one.first / one.last);
  return most.filter(
    (one, place) =>
      most.findIndex((two) => two.metric.id === one.metric.id && two.deviceId === one.deviceId) ===
      place,
  );
}

function courseOf(timed: readonly number[]): { first: number; early: number; late: number } {
  const quarter = Math.floor(timed.length / 4);
  return {
    first: timed[0] ?? 0,
    early: median(timed.slice(0, quarter)),
    late: median(timed.slice(-quarter)),
  };
}

/** The values that were still warming up, and the remedy. */
export function warmingUpText({ metric, first, last }: WarmingUp, browser: string): string {
  const [from, to] = [first, last].map((value) =>
    formatQuantity(value, { unit: metric.unit, resolution: 0 }),
  );
  return `${metric.title} in ${browser} was still warming up, ${from ?? ''} → ${to ?? ''} within the page: the difference is also one of how soon its code is compiled; repeat it more often, and time the later part`;
}
