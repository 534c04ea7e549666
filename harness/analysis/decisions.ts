import { caseName, type Case, type Metric } from '../model/case.ts';
import type { Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import { blockDifferences, type BlockPair } from '../stats/block-differences.ts';
import { decide, type Decision, type DecisionRules } from '../stats/verdict.ts';
import { groupBy } from './grouping.ts';
import { asIfNoneQuarantined, isCompleted, valueOf, withoutQuarantined } from './series.ts';

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
}

/**
 * What is known of a pair. Without a single common block there is nothing to decide on; and a value
 * of 0, as of an operation that the clock cannot see, has no ratio with anything.
 */
export type PairDecision =
  | { readonly kind: 'decided-on'; readonly decision: Decision }
  | { readonly kind: 'no-blocks' }
  | { readonly kind: 'no-ratio'; readonly because: string };

/** Finds the trials of a pair's two sides. */
export type TrialsOfPair = (pair: Pair) => readonly Trial[];

/** An index, so that not all trials are read through for every pair of a large table. */
export function indexPairs(trials: readonly Trial[]): TrialsOfPair {
  const keyOf = (deviceId: string, one: Case): string => `${deviceId}\n${caseName(one)}`;
  const bySide = groupBy(trials, ({ job }) => keyOf(job.deviceId, job.case));
  return ({ a, b }) => {
    const keys = new Set([keyOf(a.deviceId, a.case), keyOf(b.deviceId, b.case)]);
    return [...keys].flatMap((key) => bySide.get(key) ?? []);
  };
}

/**
 * What becomes of trials that were quarantined: left out, which is what a verdict does unless it is
 * told otherwise, or counted, which shows what the quarantine changed.
 */
export type Quarantined = 'left-out' | 'counted';

/**
 * The values of both sides in every block in which both have a trial that counts, in block order.
 * A block in which one side failed is left out: see `blockDifferences` for when that is harmless.
 */
export function pairValues(
  trials: readonly Trial[],
  pair: Pair,
  quarantined: Quarantined = 'left-out',
): readonly (BlockPair & { readonly block: number })[] {
  const used = quarantined === 'counted' ? asIfNoneQuarantined(trials) : withoutQuarantined(trials);
  const valuesOfA = valuesByBlock(used, pair.a, pair.metric);
  const valuesOfB = valuesByBlock(used, pair.b, pair.metric);
  return [...valuesOfA]
    .sort(([one], [other]) => one - other)
    .flatMap(([block, a]) => {
      const b = valuesOfB.get(block);
      return b === undefined ? [] : [{ block, a, b }];
    });
}

export type PairRules = Omit<DecisionRules, 'better'> & {
  readonly quarantined?: Quarantined;
  /** Blocks that were shuffled together, as `firstRoundOf` says; 1 when left out. */
  readonly firstRound?: number;
};

/** The verdict on a pair; it may be asked after every round. */
export function decidePair(
  trials: readonly Trial[],
  pair: Pair,
  { quarantined, ...rules }: PairRules,
): PairDecision {
  const values = pairValues(trials, pair, quarantined);
  if (values.length === 0) return { kind: 'no-blocks' };
  const because = whyNoRatio(values, pair);
  if (because !== null) return { kind: 'no-ratio', because };
  const better = pair.metric.direction;
  return { kind: 'decided-on', decision: decide(blockDifferences(values), { ...rules, better }) };
}

/** Why no ratio can be made of a pair's values; null when one can. */
export function whyNoRatio(
  values: ReturnType<typeof pairValues>,
  { a, b, metric }: Pair,
): string | null {
  const strange = values.find((one) => !isRatioPart(one.a) || !isRatioPart(one.b));
  if (strange === undefined) return null;
  const text = (value: number, { deviceId }: Side): string =>
    `${String(value)} ${metric.unit} (${deviceId})`;
  return `no ratio can be made of ${text(strange.a, a)} and ${text(strange.b, b)} in block ${String(strange.block + 1)}: a measured value has to be above 0`;
}

function isRatioPart(value: number): boolean {
  return value > 0 && Number.isFinite(value);
}

function valuesByBlock(
  trials: readonly Trial[],
  side: Side,
  metric: Metric,
): ReadonlyMap<number, number> {
  const name = caseName(side.case);
  const ours = trials.filter(
    ({ job }) => job.deviceId === side.deviceId && caseName(job.case) === name,
  );
  return new Map(
    ours.filter(isCompleted).flatMap((trial) => {
      const value = valueOf(trial, metric);
      return value === null ? [] : [[trial.job.block, value] as const];
    }),
  );
}

/**
 * The comparisons of a run's table: each case on each found device against the same case on the
 * first of them, or against the one that is named, by each of its benchmark's metrics.
 */
export function comparisonsOf(
  { presences, jobs }: Pick<Plan, 'presences' | 'jobs'>,
  named?: string,
): readonly Pair[] {
  const found = presences.filter((presence) => presence.status === 'found');
  const ids = found.map(({ device }) => device.id);
  const baseline = named ?? ids[0];
  if (baseline === undefined) return [];
  const others = ids.filter((id) => id !== baseline);
  const cases = new Map(jobs.map((job) => [caseName(job.case), job.case]));
  return [...cases.values()].flatMap((one) =>
    one.benchmark.metrics.flatMap((metric) =>
      others.map((deviceId) => ({
        a: { deviceId, case: one },
        b: { deviceId: baseline, case: one },
        metric,
      })),
    ),
  );
}
