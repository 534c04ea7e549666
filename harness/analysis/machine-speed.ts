import { median } from 'simple-statistics';
import type { Metric } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type { CompletedTrial } from './series.ts';

/**
 * A reading farther than this from the others is the browser's: now and then it compiles the reference
 * work into other code. Machines at their own speed were seen to wander by 5 %.
 */
const farthest = 0.1;

type Measured = Pick<Job, 'deviceId' | 'case'>;

interface Compared {
  readonly sides: readonly [Measured, Measured];
  readonly metric: Metric;
  /** Trials of both sides that count. */
  readonly trials: readonly CompletedTrial[];
  /** Blocks that were shuffled together. */
  readonly firstRound: number;
  readonly presences: readonly Presence[];
}

/**
 * Returns by what the duration of each trial is to be multiplied, so that all of a comparison were
 * measured on a machine of one speed: a virtual machine that is as calm as it gets may still run 2 %
 * slower in one session than in the next, because of neighbours that it does not see. The reference
 * work between the iterations shows it; its time beside those that count is the divisor, and the median
 * of the first round the common speed, so that values stay durations.
 *
 * Null where it cannot be: another metric than the kit's duration, a trial of the first round in which
 * that work was not read often enough (a later one keeps its duration), or sides that are not in one
 * browser and one place. Another build, or a worker beside the page, compiles the reference work itself
 * into other code, which is a part of what is compared.
 *
 * So the factor of a trial depends on that trial and on the first round alone, and there on both sides
 * alike: for two equal sides a difference is as likely +x as −x as before, and each order of the
 * first round as likely. That the case beside it does not change its time was measured
 * (`stats/README.md`).
 */
export function speedFactors({
  sides: [a, b],
  metric,
  trials,
  firstRound,
  presences,
}: Compared): ((trial: CompletedTrial) => number) | null {
  const isOnePlace = a.case.parameters['place'] === b.case.parameters['place'];
  if (!isOnePlace || !areSameBrowser([a.deviceId, b.deviceId], presences)) return null;
  const early = trials
    .filter(({ job }) => job.block < firstRound)
    .map((trial) => readingOf(trial, metric));
  const known = early.filter((reading) => reading !== null);
  if (known.length === 0 || known.length < early.length) return null;
  const common = median(known);
  return (trial) => {
    const reading = readingOf(trial, metric) ?? common;
    return Math.abs(Math.log(reading / common)) > farthest ? 1 : common / reading;
  };
}

/** Nanoseconds of one round; null where the metric is no duration that was timed beside it. */
function readingOf({ job, outcome: { result } }: CompletedTrial, metric: Metric): number | null {
  const [first] = result.samples;
  const isTimed = first?.metric === metric.id && job.case.benchmark.metrics[0]?.id === metric.id;
  const { calmNs = 0 } = result.steadyState?.reference ?? {};
  // Of a clock that shows 0 there is no ratio.
  return isTimed && calmNs > 0 ? calmNs : null;
}

/** Whether two devices are one browser, launched alike: twins, which differ in their names. */
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
