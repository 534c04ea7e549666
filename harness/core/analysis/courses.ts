import { median } from 'simple-statistics';
import type { CaseCourse } from '../results/index.ts';
import { type Series, typicalTrial } from './series.ts';
import { readCourse } from './warm-up.ts';

/** More points than these are not told apart in a figure of a report. */
const mostPoints = 60;

/** How the speed of each case went on each target, of its typical trial; older trials have none. */
export function makeCourses(series: readonly Series[]): readonly CaseCourse[] {
  return series
    .filter((one) => one.metric === one.case.benchmark.metrics[0])
    .flatMap(({ values, caseName, deviceId, metric }) => {
      const typical = typicalTrial(values);
      const result = typical?.trial.outcome.result;
      const course = result === undefined ? null : readCourse(result);
      const samples = result?.samples[0];
      if (typical === null || course === null || samples === undefined) return [];
      const { firstMs, windowAtMs, segments, endMs } = course;
      return [
        {
          caseName,
          targetId: deviceId,
          block: typical.block,
          unit: metric.unit,
          points: pointsOf(endMs, [...samples.warmUp, ...samples.timed]),
          firstMs,
          windowAtMs,
          segments,
        },
      ];
    });
}

function pointsOf(endMs: readonly number[], values: readonly number[]): CaseCourse['points'] {
  const size = Math.max(1, Math.ceil(values.length / mostPoints));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => {
    const [from, to] = [i * size, Math.min(values.length, (i + 1) * size)];
    return [endMs[to - 1] ?? 0, median(values.slice(from, to))] as const;
  });
}
