import { median } from 'simple-statistics';
import { type Case, caseName, type Metric } from '../model/case.ts';
import { pickPlace, type Presence } from '../model/device.ts';
import { detectFirstRound, type Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { findDeviceDisplay } from './displays.ts';
import { groupBy } from './grouping.ts';
import { shareOfChoice, speedFactors } from './machine-speed.ts';
import { erringAlone } from './page-errors.ts';
import {
  asIfNoneQuarantined,
  type CompletedTrial,
  isCompleted,
  findResolution,
  readValue,
  withoutQuarantined,
} from './series.ts';
import type { FirstRound } from './stats/first-round.ts';
import { blockDifferences, type BlockPair } from './stats/typical-ratio.ts';
import type { Comparison } from './stats/verdict.ts';

/** One side of a comparison: a case on a device. */
export interface Side {
  readonly deviceId: string;
  readonly case: Case;
}

/** Two sides that are compared block by block, by one metric. */
export interface Pair {
  readonly a: Side;
  readonly b: Side;
  readonly metric: Metric;
  /** The metric is exact: no clock of a page made it. */
  readonly exact?: true;
}

/** Zeros of both sides alone, which no clock rounded: in `sameZeros` blocks the `same`, else in `fewer`. */
type Zeros = 'same' | 'fewer' | 'none';

/** This number of blocks of zeros on both sides, without other values, counts as equal. */
const sameZeros = 8;

/** Finds the trials of a pair's two sides. */
export type TrialsOfPair = (pair: Pair) => readonly Trial[];

/** Indexes the trials, so that a large table does not scan all trials for every pair. */
export function indexPairs(trials: readonly Trial[]): TrialsOfPair {
  const keyOf = (deviceId: string, one: Case): string => `${deviceId}\n${caseName(one)}`;
  const bySide = groupBy(trials, ({ job }) => keyOf(job.deviceId, job.case));
  return ({ a, b }) => {
    const keys = new Set([keyOf(a.deviceId, a.case), keyOf(b.deviceId, b.case)]);
    return [...keys].flatMap((key) => bySide.get(key) ?? []);
  };
}

/** Verdicts leave excluded trials out; counting them shows the effect of the exclusion. */
type QuarantineUse = 'left-out' | 'counted';

/** The values of both sides in one block. */
interface PairValue extends BlockPair {
  readonly block: number;
  /** The share of their ratio that the clocks leave open, as a logarithm. */
  readonly resolution: number;
  /** Other programs disturbed a trial of it, which counts all the same. */
  readonly disturbed: boolean;
}

/**
 * Returns the values of both sides in every block in which both have a trial that counts, in block
 * order. Leaves out a block in which one side failed: see `blockDifferences` for when that is
 * harmless. Durations in one browser are those of a machine of one speed (`speedFactors`).
 */
export function pairValues(
  trials: readonly Trial[],
  pair: Pair,
  run: RunCircumstances = {},
): readonly PairValue[] {
  return valuesOfPair(trials, pair, run).values;
}

/** The values of a pair, and the share of the error rate that they may use: see `Comparison`. */
function valuesOfPair(
  trials: readonly Trial[],
  pair: Pair,
  { quarantined, firstRound = 1, presences = [] }: RunCircumstances,
): { readonly values: readonly PairValue[]; readonly share: number } {
  const used = quarantined === 'counted' ? asIfNoneQuarantined(trials) : withoutQuarantined(trials);
  const { a, b, metric } = pair;
  const ours = completedOf(used, pair);
  const compared = { sides: [a, b], metric, trials: ours.flat(), firstRound, presences } as const;
  const factors = speedFactors(compared);
  const [valuesOfA = new Map(), valuesOfB = new Map()] = ours.map((of) =>
    valuesByBlock(of, pair, factors),
  );
  const values = [...valuesOfA]
    .sort(([one], [other]) => one - other)
    .flatMap(([block, a]) => {
      const b = valuesOfB.get(block);
      if (b === undefined) return [];
      const resolution = a.resolution + b.resolution;
      const disturbed = a.disturbed || b.disturbed;
      return [{ block, a: a.value, b: b.value, resolution, disturbed }];
    });
  return { values, share: factors === null ? 1 : shareOfChoice };
}

/** The facts of a run that affect the evidence about its pairs. */
export interface RunCircumstances {
  readonly quarantined?: QuarantineUse;
  /** Blocks that were shuffled together, as `detectFirstRound` says; 1 when left out. */
  readonly firstRound?: number;
  /** Driver and settings of each device; without it only the browsers show whether sides are alike. */
  readonly presences?: readonly Presence[];
}

/** The circumstances of a planned or stored run, for the rules of its decisions. */
export function runCircumstances({
  jobs,
  presences,
}: Pick<Plan, 'jobs' | 'presences'>): RunCircumstances {
  return { ...detectFirstRound(jobs), presences };
}

/**
 * The data of a decision. Without a common block there is nothing to decide. A value of 0, as of an
 * operation below the clock's resolution, has no ratio; a layout shift of 0 on both sides in many
 * blocks is the same. A version with an error may have done less, and is not compared by what it did
 * as a whole.
 */
export type PairComparison =
  | { readonly kind: 'comparison'; readonly comparison: Comparison }
  | { readonly kind: 'no-blocks' }
  | {
      readonly kind: 'no-ratio';
      readonly because: string;
      readonly zeros: Zeros;
      /** The version that alone had an error. */
      readonly erring?: string;
    };

/**
 * Returns whether both sides give the metric, as far as their trials show; else the one of which a
 * trial has a value of it, if there is one. A side without a completed trial may still give it.
 */
export function givenBy(trials: readonly Trial[], { a, b, metric }: Pair): 'both' | Side | null {
  const [ofA = [], ofB = []] = [a, b].map((side) =>
    trialsOfSide(trials, side)
      .filter(isCompleted)
      .map((trial) => readValue(trial, metric) !== null),
  );
  const lacks = (given: readonly boolean[]): boolean => given.length > 0 && !given.includes(true);
  if (metric.optional !== true || (!lacks(ofA) && !lacks(ofB))) return 'both';
  return ofA.includes(true) ? a : ofB.includes(true) ? b : null;
}

/** Prepares the trials of a pair for the statistics. */
export function comparePair(
  trials: readonly Trial[],
  pair: Pair,
  run: RunCircumstances = {},
): PairComparison {
  const { values, share } = valuesOfPair(trials, pair, run);
  if (values.length === 0) return { kind: 'no-blocks' };
  const erring = erringAlone(pair.metric.id, completedOf(trials, pair));
  if (erring !== null) {
    const { version, error } = erring;
    const because = `${version} had an error: ${error}`;
    return { kind: 'no-ratio', because, zeros: 'none', erring: version };
  }
  const because = whyNoRatio(values, pair);
  if (because !== null) return { kind: 'no-ratio', because, zeros: zerosIn(values) };
  const firstRound = firstRoundOfPair(trials, pair, values, run);
  const comparison = {
    differences: blockDifferences(values),
    resolution: median(values.map((one) => one.resolution)),
    share,
    ...meansOf(values),
    ...(firstRound !== null && { firstRound }),
  };
  return { kind: 'comparison', comparison };
}

function completedOf(
  trials: readonly Trial[],
  { a, b }: Pair,
): readonly [readonly CompletedTrial[], readonly CompletedTrial[]] {
  return [trialsOfSide(trials, a).filter(isCompleted), trialsOfSide(trials, b).filter(isCompleted)];
}

/** Of the blocks that no other program disturbed, where these are not the fewer. */
function meansOf(values: readonly PairValue[]): Pick<Comparison, 'means'> {
  const means = values.filter(({ disturbed }) => !disturbed);
  return 2 * means.length < values.length ? {} : { means };
}

function zerosIn(values: readonly PairValue[]): Zeros {
  // A time of 0 may be any below the clock's step.
  if (values.some(({ a, b, resolution }) => a !== 0 || b !== 0 || resolution !== 0)) return 'none';
  return values.length >= sameZeros ? 'same' : 'fewer';
}

/**
 * Returns the first round of a pair. It has all of its blocks while a side still owes a trial of
 * them; once it is over, those that have a value of both sides.
 */
function firstRoundOfPair(
  trials: readonly Trial[],
  pair: Pair,
  values: readonly PairValue[],
  run: RunCircumstances,
): FirstRound | null {
  const { firstRound: planned = 0, presences } = run;
  const isOver = [pair.a, pair.b].every(
    (side) => blocksOf(trials, side).filter((block) => block < planned).length >= planned,
  );
  const ours = values.filter(({ block }) => block < planned);
  const blocks = isOver ? ours.length : planned;
  if (blocks === 0) return null;
  if (ours.length === 0 || !areAlike(trials, pair, presences)) return { blocks };
  return { blocks, values: { a: ours.map(({ a }) => a), b: ours.map(({ b }) => b) } };
}

/** The blocks in which a side had a trial, with any outcome. */
function blocksOf(trials: readonly Trial[], side: Side): readonly number[] {
  return [...new Set(trialsOfSide(trials, side).map(({ job }) => job.block))];
}

function trialsOfSide(trials: readonly Trial[], { deviceId, case: one }: Side): readonly Trial[] {
  const name = caseName(one);
  return trials.filter(({ job }) => job.deviceId === deviceId && caseName(job.case) === name);
}

/**
 * Returns true if both sides would give the same values in the same time slots, except for a common
 * factor: one case in one browser (of any version), under one driver with the same settings.
 * Another browser, or another case, such as another version of a page, also differs in the shape of
 * its noise.
 */
function areAlike(
  trials: readonly Trial[],
  { a, b }: Pair,
  presences: readonly Presence[] = [],
): boolean {
  const browserOf = ({ deviceId }: Side): string | undefined =>
    trials.find((trial) => trial.job.deviceId === deviceId && trial.browser !== null)?.browser
      ?.name;
  const settingsOf = ({ deviceId }: Side): string => {
    const device = presences.find((presence) => presence.device.id === deviceId)?.device;
    const { driver, headless, cores } = device ?? {};
    return JSON.stringify([
      driver,
      headless,
      cores,
      device === undefined ? null : pickPlace(device),
      findDeviceDisplay(trials, deviceId),
    ]);
  };
  const browser = browserOf(a);
  return (
    browser !== undefined &&
    browser === browserOf(b) &&
    caseName(a.case) === caseName(b.case) &&
    settingsOf(a) === settingsOf(b)
  );
}

/** Returns whether the pair has values to decide on. */
export function hasRatio(trials: readonly Trial[], pair: Pair): boolean {
  const values = pairValues(trials, pair);
  return values.length > 0 && whyNoRatio(values, pair) === null;
}

/** Returns why a pair's values have no ratio; null if they have one. */
function whyNoRatio(values: ReturnType<typeof pairValues>, { a, b, metric }: Pair): string | null {
  const strange = values.find((one) => !isRatioPart(one.a) || !isRatioPart(one.b));
  if (strange === undefined) return null;
  const text = (value: number, { deviceId }: Side): string =>
    `${String(value)} ${metric.unit} (${deviceId})`;
  return `no ratio can be made of ${text(strange.a, a)} and ${text(strange.b, b)} in block ${String(strange.block + 1)}: a measured value has to be above 0`;
}

function isRatioPart(value: number): boolean {
  return value > 0 && Number.isFinite(value);
}

interface ResolvedValue {
  readonly value: number;
  /** ln(1 + the share that the clock leaves open). */
  readonly resolution: number;
  readonly disturbed: boolean;
}

function valuesByBlock(
  trials: readonly CompletedTrial[],
  { metric, exact }: Pair,
  factors: ReturnType<typeof speedFactors>,
): ReadonlyMap<number, ResolvedValue> {
  return new Map(
    trials.flatMap((trial) => {
      const value = readValue(trial, metric);
      if (value === null) return [];
      const step = exact ? 0 : findResolution(trial.outcome.result, metric);
      const resolution = step === 0 ? 0 : Math.log1p(step / value);
      const disturbed = trial.outcome.released === true;
      const even = value * (factors?.(trial) ?? 1);
      return [[trial.job.block, { value: even, resolution, disturbed }] as const];
    }),
  );
}
