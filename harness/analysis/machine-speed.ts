import { median } from 'simple-statistics';
import type { Metric } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import { referenceBesideNs } from '../model/trial-value.ts';
import type { CompletedTrial } from './series.ts';

/**
 * A reading farther than this from the others is the browser's: now and then it compiles the reference
 * work into other code. Machines at their own speed were seen to wander by 5 %.
 */
const farthest = 0.1;

interface Compared {
  readonly metric: Metric;
  /** Trials of both sides that count. */
  readonly trials: readonly CompletedTrial[];
  /** Blocks that were shuffled together. */
  readonly firstRound: number;
}

/**
 * Returns by what the duration of each trial is to be multiplied, so that all of a comparison were
 * measured on a machine of one speed: a virtual machine that is as calm as it gets may still run 2 %
 * slower in one session than in the next, because of neighbours that it does not see. The reference
 * work between the iterations shows it; its time beside those that count is the divisor, and the median
 * of the first round the common speed, so that values stay durations.
 *
 * Null where it cannot be: another metric than the kit's duration, or a trial without that work.
 *
 * The factor of a trial depends on that trial and on the first round alone, and there on both sides
 * alike, so for two equal sides a difference is as likely +x as −x as before, and each order of the
 * first round as likely. It must only be asked of sides in one browser: another build compiles the
 * reference work itself into other code, which is a part of what is compared. That the work beside
 * it does not change its time was measured (`stats/README.md`).
 */
export function speedFactors({
  metric,
  trials,
  firstRound,
}: Compared): ((trial: CompletedTrial) => number) | null {
  const readings = new Map(trials.map((trial) => [trial, readingOf(trial, metric)]));
  const known = [...readings.values()].filter((one) => one !== null);
  const early = trials
    .filter(({ job }) => job.block < firstRound)
    .flatMap((trial) => readings.get(trial) ?? []);
  if (early.length === 0 || known.length < readings.size) return null;
  const common = median(early);
  return (trial) => {
    const reading = readings.get(trial) ?? common;
    return Math.abs(Math.log(reading / common)) > farthest ? 1 : common / reading;
  };
}

/** Nanoseconds of one round; null where the metric is no duration that was timed beside it. */
function readingOf({ job, outcome }: CompletedTrial, metric: Metric): number | null {
  const [first] = outcome.result.samples;
  const isTimed = first?.metric === metric.id && job.case.benchmark.metrics[0]?.id === metric.id;
  return isTimed ? referenceBesideNs(outcome.result) : null;
}

/** Whether two devices are one browser, launched alike: twins, which differ in their names. */
export function areSameBrowser(
  [one, other]: readonly [string, string],
  presences: readonly Presence[] = [],
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
