import { median } from 'simple-statistics';
import { type Case, caseName, type Metric, roundedTo, secondsPer } from '../model/case.ts';
import { isOtherDisplay } from '../model/display.ts';
import { isStandstill } from '../model/environment-limits.ts';
import type { SeriesTrial } from '../model/history.ts';
import type { RunRecord } from '../model/run.ts';
import { trialValue as valueOfResult } from '../model/trial-value.ts';
import { isQuarantined, type Outcome, type Trial, type TrialResult } from '../model/trial.ts';
import { groupBy } from './grouping.ts';

export type CompletedTrial = Trial & { readonly outcome: Extract<Outcome, { kind: 'completed' }> };

/** One trial's value of one metric. */
export interface TrialValue {
  readonly block: number;
  readonly value: number;
  readonly trial: CompletedTrial;
}

/** Case × target × metric of one run. */
export interface Series {
  readonly case: Case;
  readonly caseName: string;
  readonly deviceId: string;
  readonly metric: Metric;
  /** Values of the trials that count, in block order. */
  readonly values: readonly TrialValue[];
  /**
   * Values of the quarantined trials, in block order; a block may have two, or one next to a clean
   * repeat.
   */
  readonly quarantined: readonly TrialValue[];
  /** Trials of this cell that did not complete. */
  readonly others: readonly Trial[];
}

/**
 * Groups a run's trials into series: by the planned order of devices, then the suite's order of
 * cases. Leaves out metrics that no trial of a case gave.
 */
export function makeSeries(record: RunRecord): readonly Series[] {
  const trials = groupBy(record.trials, (trial) =>
    keyOf(caseName(trial.job.case), trial.job.deviceId),
  );
  // A missing device is listed once among targets and troubles, not in every case.
  const found = record.presences.filter(({ status }) => status === 'found');
  const given = givenMetrics(record.trials);
  return listCases(record).flatMap((one) =>
    found.flatMap(({ device }) => {
      const name = caseName(one);
      const ours = trials.get(keyOf(name, device.id)) ?? [];
      const metrics = one.benchmark.metrics.filter(({ id }) => given.get(name)?.has(id) ?? true);
      return metrics.map((metric) => {
        const counted = valuesOf(withoutQuarantined(ours), metric);
        const quarantined = valuesOf(ours.filter(isQuarantined), metric);
        // Marked numbers help a reader more than none; no verdict uses them.
        const values = counted.length > 0 ? counted : quarantined;
        const others = ours.filter((trial) => !isCompleted(trial));
        return {
          case: one,
          caseName: name,
          deviceId: device.id,
          metric,
          values,
          quarantined,
          others,
        };
      });
    }),
  );
}

/**
 * The metrics that any completed trial of a case gave, by case: some metrics belong to other cases
 * or hosts.
 */
function givenMetrics(trials: readonly Trial[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byCase = groupBy(trials.filter(isCompleted), ({ job }) => caseName(job.case));
  return new Map(
    [...byCase].map(([name, ours]) => [
      name,
      new Set(ours.flatMap(({ outcome }) => outcome.result.samples.map(({ metric }) => metric))),
    ]),
  );
}

/** The trial whose value is nearest to the series' median; the earlier one of two. */
export function typicalTrial(values: readonly TrialValue[]): TrialValue | null {
  if (values.length === 0) return null;
  const middle = median(values.map((one) => one.value));
  const distance = (one: TrialValue): number => Math.abs(one.value - middle);
  return values.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** Returns the run's distinct cases, ordered by benchmark, then by parameters in declared order. */
export function listCases(record: RunRecord): readonly Case[] {
  const distinct = new Map(record.jobs.map((job) => [caseName(job.case), job.case]));
  return [...distinct.values()].sort(compareCases);
}

/** Compares by benchmark, then by parameters in declared order. */
export function compareCases(a: Case, b: Case): number {
  if (a.benchmark.id !== b.benchmark.id) return a.benchmark.id < b.benchmark.id ? -1 : 1;
  for (const parameter of a.benchmark.parameters) {
    const order = rank(parameter, a) - rank(parameter, b);
    if (order !== 0) return order;
  }
  return 0;
}

function rank(parameter: Case['benchmark']['parameters'][number], one: Case): number {
  const value = one.parameters[parameter.name];
  return parameter.kind === 'integer' ? Number(value) : parameter.values.indexOf(value ?? '');
}

export function isCompleted(trial: Trial): trial is CompletedTrial {
  return trial.outcome.kind === 'completed';
}

/**
 * Returns the trials that count. If the trial of a block was quarantined, a clean repeat takes its
 * place.
 */
export function withoutQuarantined(trials: readonly Trial[]): readonly Trial[] {
  return trials.filter((trial) => !isQuarantined(trial));
}

/**
 * Returns the trials as if there were no quarantine: the first one of each block, clean or not,
 * without repeats.
 */
export function asIfNoneQuarantined(trials: readonly Trial[]): readonly Trial[] {
  return trials.filter((trial) => trial.job.repeats === undefined);
}

/**
 * Returns the trials, and counts those that a busy machine disturbed where no clean one replaces
 * them: for versions of a page, which share a browser and the machine's load. The load falls on
 * both sides of a block in an order drawn at random, so that it hides a difference and makes none
 * (`logEValue`, shift 0). Where something stood still, or another rasteriser drew, the value says
 * nothing, and stays out. A block has one trial of each side, its clean repeat or else its first;
 * which of them does not depend on their values.
 */
export function countingDisturbed(trials: readonly Trial[]): readonly Trial[] {
  const counting = findReleased(trials, ({ job, outcome }) => ({
    place: keyOf(caseName(job.case), `${job.deviceId}\n${String(job.block)}`),
    isRepeat: job.repeats !== undefined,
    outcome: outcome.kind,
    quarantine: outcome.kind === 'completed' ? outcome.quarantine : [],
  }));
  return trials.map((trial) => (counting.has(trial) ? released(trial) : trial));
}

/** Facts that decide whether an excluded trial of versions counts. */
interface DisturbedFacts extends Pick<SeriesTrial, 'outcome' | 'isRepeat' | 'quarantine'> {
  /** The side and its block. */
  readonly place: string | number;
}

/** Finds the excluded trials that count, as `countingDisturbed` says. */
export function findReleased<T>(
  trials: readonly T[],
  describe: (trial: T) => DisturbedFacts,
): ReadonlySet<T> {
  const all = trials.map((trial) => ({ trial, ...describe(trial) }));
  const clean = new Set(
    all
      .filter(({ outcome, quarantine }) => outcome === 'completed' && quarantine.length === 0)
      .map(({ place }) => place),
  );
  const found = all.filter(
    ({ isRepeat, place, quarantine }) =>
      quarantine.length > 0 && !isRepeat && !clean.has(place) && !quarantine.some(saysNothing),
  );
  return new Set(found.map(({ trial }) => trial));
}

function saysNothing(reason: string): boolean {
  return isStandstill(reason) || isOtherDisplay(reason);
}

/** Counts of the trials of versions that a busy machine disturbed. */
export interface DisturbedTrials {
  readonly trials: number;
  /** Disturbed, and counted for lack of better ones. */
  readonly counted: number;
  /** Disturbed, and another trial stands in their place. */
  readonly leftOut: number;
}

export function disturbedAmong(trials: readonly Trial[]): DisturbedTrials {
  const leftOut = countingDisturbed(trials).filter(isQuarantined).length;
  const counted = trials.filter(isQuarantined).length - leftOut;
  return { trials: trials.length, counted, leftOut };
}

/** Returns the trial as if there were no limits. */
export function released(trial: Trial): Trial {
  const { outcome } = trial;
  return outcome.kind === 'completed'
    ? {
        ...trial,
        outcome: { ...outcome, quarantine: [], ...(isQuarantined(trial) && { released: true }) },
      }
    : trial;
}

function valuesOf(trials: readonly Trial[], metric: Metric): readonly TrialValue[] {
  return trials
    .filter(isCompleted)
    .flatMap((trial) => trialValue(trial, metric))
    .sort((a, b) => a.block - b.block);
}

function trialValue(trial: CompletedTrial, metric: Metric): readonly TrialValue[] {
  const value = readValue(trial, metric);
  return value === null ? [] : [{ block: trial.job.block, value, trial }];
}

/** Returns a trial's value of one metric (`model/trial-value.ts`); null without one. */
export function readValue({ outcome }: CompletedTrial, metric: Metric): number | null {
  return valueOfResult(outcome.result, metric.id);
}

function keyOf(name: string, deviceId: string): string {
  return `${deviceId}\n${name}`;
}

/**
 * Returns the resolution of a trial's value, in the metric's unit; 0 for a unit that no clock made.
 *
 * One iteration is known to the granule over k. The errors of the n iterations of a window are
 * independent if a tenth of these lie a step or more away from the middle one, so their mean is
 * known to 1/√n of it; iterations that nearly all look alike may all err in one direction,
 * independent of a single one.
 */
export function findResolution(
  { clock, repeats, samples, steadyState }: TrialResult,
  { id, unit }: Pick<Metric, 'id' | 'unit'>,
): number {
  const seconds = secondsPer[unit];
  if (seconds === undefined) return 0;
  const rounded = unit === 'ms' ? roundedTo[id] : undefined;
  if (rounded !== undefined) return rounded;
  const stepMs = clock.granuleUs / repeats / 1e3;
  const timed = steadyState === undefined ? [] : (samples[0]?.timed ?? []);
  return stepMs / (differByStep(timed, stepMs) ? Math.sqrt(timed.length) : 1) / (seconds * 1e3);
}

/** Clocks round their steps, so that one may be a little short. */
const almostOne = 0.99;

function differByStep(timed: readonly number[], stepMs: number): boolean {
  if (timed.length < 2) return false;
  const middle = median([...timed]);
  const apart = timed.filter((one) => Math.abs(one - middle) >= almostOne * stepMs).length;
  return 10 * apart >= timed.length;
}
