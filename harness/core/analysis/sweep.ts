import { coefficientOfVariation, median } from 'simple-statistics';
import { caseName } from '../model/case.ts';
import { isQuarantined, type Trial } from '../model/trial.ts';
import { readThreadTotals } from './cpu.ts';
import { decidePair, type PairDecision, type PairRules, decideTable } from './decide.ts';
import type { Pair, Side } from './pairs.ts';
import { type CompletedTrial, isCompleted, readValue, withoutQuarantined } from './series.ts';
import type { SweepPointFacts, SweepStep } from '../results/index.ts';

/**
 * Builds that were measured in the same blocks, the oldest first, together with one of them or
 * another.
 */
export interface SweptBuilds {
  readonly trials: readonly Trial[];
  readonly deviceIds: readonly string[];
  /** The reference build: in every block, so that what the machine does in a block cancels. */
  readonly reference: string;
  /** The case and its metric. */
  readonly of: Pick<Pair, 'metric'> & Pick<Side, 'case'>;
  /** Of all changes together. */
  readonly rules: PairRules & { readonly alpha: number };
}

/** One build with the reference build. */
export interface SweepPoint extends Omit<SweepPointFacts, 'build' | 'version'> {
  readonly deviceId: string;
}

export interface SweepAnalysis {
  readonly points: readonly SweepPoint[];
  readonly steps: readonly SweepStep[];
  /** Trials that do not count, because the machine was outside its limits. */
  readonly quarantined: number;
  /** Standard deviation of the reference build's trials, as a share of their mean; null below two. */
  readonly referenceSpread: number | null;
}

/** The pairs that tell where a case changed: each build against the one before. */
export function stepPairs({
  deviceIds,
  of,
}: Pick<SweptBuilds, 'deviceIds' | 'of'>): readonly Pair[] {
  return deviceIds.slice(1).map((deviceId, index) => ({
    a: { deviceId, case: of.case },
    b: { deviceId: deviceIds[index] ?? '', case: of.case },
    metric: of.metric,
  }));
}

/**
 * The result of a sweep: each build compared with the reference build, and the changes of the case.
 * A change is a difference between adjacent builds that holds in the table of all of these
 * (`decideTable`), so the expected share of wrong ones among the verdicts is at most α, at any end
 * of the run.
 */
export function analyseSweep(swept: SweptBuilds): SweepAnalysis {
  const { trials, deviceIds, reference, rules } = swept;
  const trialsOf = countingIn(swept);
  const table = decideTable(trials, stepPairs(swept), rules);
  const ofReference = valuesIn(trialsOf(reference), swept);
  return {
    points: [...new Set([...deviceIds, reference])].map((deviceId) =>
      pointOf(deviceId, swept, trialsOf(deviceId)),
    ),
    steps: table.flatMap(({ pair, decision }) => stepOf(pair, decision)),
    quarantined: trials.filter(isQuarantined).length,
    referenceSpread: ofReference.length < 2 ? null : coefficientOfVariation([...ofReference]),
  };
}

/** The trials of a build that count. */
function countingIn({ trials, of }: SweptBuilds): (deviceId: string) => readonly CompletedTrial[] {
  const name = caseName(of.case);
  const counting = withoutQuarantined(trials).filter(isCompleted);
  return (deviceId) =>
    counting.filter(({ job }) => job.deviceId === deviceId && caseName(job.case) === name);
}

function valuesIn(trials: readonly CompletedTrial[], { of }: SweptBuilds): readonly number[] {
  return trials.flatMap((trial) => readValue(trial, of.metric) ?? []);
}

function pointOf(
  deviceId: string,
  swept: SweptBuilds,
  counting: readonly CompletedTrial[],
): SweepPoint {
  const { trials, reference, of, rules } = swept;
  const values = valuesIn(counting, swept);
  const value = medianOf(values);
  const told = {
    deviceId,
    value,
    trials: values.length,
    steadyAfterMs: medianOf(
      counting.flatMap(({ outcome }) => outcome.result.steadyState?.steadyAfterMs ?? []),
    ),
    coresBusy: medianOf(counting.flatMap((trial) => readThreadTotals(trial)?.coresBusy ?? [])),
  };
  if (deviceId === reference && value !== null) return { ...told, ratio: 1, low: 1, high: 1 };
  const a = { deviceId, case: of.case };
  const pair = { a, b: { ...a, deviceId: reference }, metric: of.metric };
  const made = decidePair(trials, pair, rules);
  if (made.kind !== 'decided-on') return { ...told, ratio: null, low: null, high: null };
  const { ratio, low, high } = made.decision;
  return { ...told, ratio, low, high };
}

function medianOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : median([...values]);
}

function stepOf({ a, b }: Pair, made: PairDecision): readonly SweepStep[] {
  if (made.kind !== 'decided-on') return [];
  const { verdict, ratio, low, high } = made.decision;
  return [{ between: [b.deviceId, a.deviceId], verdict, ratio, low, high }];
}

/** A number of `count` things in their order, at least two, evenly, both ends among them. */
export function spreadOut(count: number, wanted: number): readonly number[] {
  const most = Math.max(2, wanted);
  if (count <= most) return Array.from({ length: count }, (_, index) => index);
  return Array.from({ length: most }, (_, step) => Math.round((step * (count - 1)) / (most - 1)));
}

/**
 * The next things between `from` and `to` to look at, where something changed between the two: all,
 * or a number of them, evenly.
 */
export function looksBetween(from: number, to: number, most: number): readonly number[] {
  const inside = to - from - 1;
  if (inside <= most) return Array.from({ length: inside }, (_, index) => from + 1 + index);
  return Array.from(
    { length: most },
    (_, step) => from + Math.round(((step + 1) * (to - from)) / (most + 1)),
  );
}
