import { mean, median, sampleVariance } from 'simple-statistics';
import { caseName, type Metric } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { CompletedTrial } from './series.ts';

type MeasuredCase = Pick<Job, 'deviceId' | 'case'>;

/** The share of the error rate that durations have as measured, and as divided by the reference work. */
export const shareOfChoice = 1 / 2;

interface ComparedPair {
  readonly sides: readonly [MeasuredCase, MeasuredCase];
  readonly metric: Metric;
  /** Trials of both sides that count. */
  readonly trials: readonly CompletedTrial[];
  /** Blocks that were shuffled together. */
  readonly firstRound: number;
  readonly presences: readonly Presence[];
}

/**
 * Returns the factor for the duration of each trial, as if all of a comparison were measured on a
 * machine of one speed: a virtual machine at its calmest may still run 2 % slower in one session
 * than in the next, because of other guests that it does not see. The reference work between the
 * iterations shows it; its time in the counting iterations is the divisor, and the median of the
 * first round the common speed, so that values stay durations.
 *
 * Null where it cannot be: another metric than the kit's duration, a trial of the first round in
 * which that work was not read often enough (a later one keeps its duration), or sides that are not
 * in one browser and one place. Another build, or a worker of the page, compiles the reference work
 * itself into other code, which is a part of the comparison.
 *
 * The factors are 1 where the sides differ in the reference work itself: a side whose helper
 * threads slow down both it and the case would lose by division what it costs.
 *
 * For two equal sides a difference is as likely +x as −x as before, with the factors and without.
 * The choice between the two rests on the readings, again at each look, so each has its own share
 * of the error rate (`shareOfChoice`): the other one was possible.
 */
export function speedFactors({
  sides: [a, b],
  metric,
  trials,
  firstRound,
  presences,
}: ComparedPair): ((trial: CompletedTrial) => number) | null {
  const isOnePlace = a.case.parameters['place'] === b.case.parameters['place'];
  if (!isOnePlace || !areSameBrowser([a.deviceId, b.deviceId], presences)) return null;
  const early = trials
    .filter(({ job }) => job.block < firstRound)
    .map((trial) => readingOf(trial, metric));
  const known = early.filter((reading) => reading !== null);
  if (known.length === 0 || known.length < early.length) return null;
  if (differInReference([a, b], trials, metric)) return () => 1;
  const common = median(known);
  return (trial) => common / (readingOf(trial, metric) ?? common);
}

/**
 * True if the readings of the sides lie more than one standard error apart, block by block. A side
 * that takes 8 % longer in 60 % of its trials, and its reference work with it, is then called the
 * same in 3 % of comparisons on a quiet machine, and in 7 % where its speed varies by 2 % between
 * sessions; with two standard errors in 14 and 31 %. Equal sides on such a machine are the same
 * after 8 blocks, nine tenths of them after 15; with two standard errors after 9.
 */
function differInReference(
  sides: ComparedPair['sides'],
  trials: readonly CompletedTrial[],
  metric: Metric,
): boolean {
  const [ofA = new Map<number, number>(), ofB = new Map<number, number>()] = sides.map(
    ({ deviceId, case: one }) =>
      new Map(
        trials.flatMap((trial) => {
          const { job } = trial;
          const isOurs = job.deviceId === deviceId && caseName(job.case) === caseName(one);
          const reading = isOurs ? readingOf(trial, metric) : null;
          return reading === null ? [] : [[job.block, Math.log(reading)] as const];
        }),
      ),
  );
  const apart = [...ofA].map(([block, reading]) => reading - (ofB.get(block) ?? NaN));
  const seen = apart.filter(Number.isFinite);
  if (seen.length < 2) return false;
  return Math.abs(mean(seen)) > Math.sqrt(sampleVariance(seen) / seen.length);
}

/** Nanoseconds of one round; null where the metric is not a duration that was timed with it. */
function readingOf({ job, outcome: { result } }: CompletedTrial, metric: Metric): number | null {
  const [first] = result.samples;
  const isTimed = first?.metric === metric.id && job.case.benchmark.metrics[0]?.id === metric.id;
  const { calmNs = 0 } = result.steadyState?.reference ?? {};
  // A clock that shows 0 gives no ratio.
  return isTimed && calmNs > 0 ? calmNs : null;
}

/** True if two devices are one browser, launched alike: twins, which differ in their names. */
export function areSameBrowser(
  [one, other]: readonly [string, string],
  presences: readonly Presence[],
): boolean {
  if (one === other) return true;
  const [a, b] = [one, other].map((id) => {
    const presence = presences.find(({ device }) => device.id === id);
    if (presence?.status !== 'found') return null;
    const { device, target } = presence;
    return JSON.stringify({ ...target, device: { ...device, id: '', name: '' } });
  });
  return a !== null && a === b;
}
