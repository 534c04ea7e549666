import { caseName, type Metric } from '../model/case.ts';
import { jobsOfRound, type Plan } from '../model/plan.ts';
import { deservesRepeat, isQuarantined, type Trial } from '../model/trial.ts';
import { eBh } from './stats/benjamini-hochberg.ts';
import { type Decision, type Decisiveness, logDecisiveness } from './stats/verdict.ts';
import {
  comparePair,
  decideComparison,
  indexPairs,
  givenBy,
  pairValues,
  type Pair,
  type PairDecision,
  type PairRules,
} from './decisions.ts';

/** Whether a run of comparisons may stop. */
export type StopState =
  | { readonly kind: 'go-on' }
  /** Every pair has a verdict that holds in the whole table. */
  | { readonly kind: 'decided' }
  /** The open pairs lack a side that gives no more values: more blocks would only cost time. */
  | { readonly kind: 'vanished'; readonly reason: string };

export type Rules = PairRules & {
  readonly alpha: number;
  /** Which pairs with a verdict need more blocks all the same; none when left out. */
  readonly isOpen?: IsOpen | undefined;
};

/** Whether a pair with a verdict needs more blocks all the same. */
export type IsOpen = (decision: Decision, metric: Metric) => boolean;

/** A slower pair needs blocks until its whole interval lies on one side of this share; no other does. */
export function untilWorseBy(share: number): IsOpen {
  return (decision, metric) => {
    const { least, most } = changeForWorse(decision, metric);
    return decision.verdict === 'slower' && least <= share && most > share;
  };
}

/** A side may fail sometimes; after this many blocks in a row without a pair it has vanished. */
const blocksWithoutPair = 3;

/**
 * The same for quarantined trials. A machine that was too busy may be quiet again in a minute, so
 * this limit is higher; without a limit a machine that is always busy would run to the last block.
 */
const quarantinedBlocksWithoutPair = 10;

/** A metric that some loads of a page lack: so many blocks in a row. */
const blocksWithoutOptional = 10;

/** Returns whether a run of comparisons may stop at the end of a round. */
export function stopState(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  rules: Rules,
): StopState {
  const table = decideTable(trials, pairs, rules);
  const reasons = table
    .filter((entry) => standingOf(entry, rules) === 'open' && !isRare(trials, entry.pair))
    .map(({ pair }) => vanishing(trials, pair));
  if (reasons.includes(null)) return { kind: 'go-on' };
  // More blocks give it no ratio, and it does not make what is decided worse.
  const isDecided = table.some((entry) => standingOf(entry, rules) === 'answered');
  const [reason] = isDecided ? reasons : [...reasons, ...table.flatMap(becauseOf)];
  return typeof reason === 'string' ? { kind: 'vanished', reason } : { kind: 'decided' };
}

/** How much worse `a` is than `b`, as a share of its time: 0.05 is 5 % slower; below 0 it is better. */
export interface ChangeForWorse {
  readonly least: number;
  readonly most: number;
}

/** The interval of a decision as times: a rate that is half as high takes twice as long. */
export function changeForWorse(
  { low, high }: Pick<Decision, 'low' | 'high'>,
  { direction }: Pick<Metric, 'direction'>,
): ChangeForWorse {
  const [from, to] = [low ?? 0, high ?? Infinity];
  const [least, most] = direction === 'lower' ? [from, to] : [1 / to, 1 / from];
  return { least: least - 1, most: most - 1 };
}

/** What more blocks may do for a row. */
function standingOf(
  { pair, decision: made }: TableEntry,
  { isOpen = () => false }: Pick<Rules, 'isOpen'>,
): 'open' | 'answered' | 'hopeless' {
  if (made.kind === 'decided-on') {
    const { decision } = made;
    // Of means that differ, while the typical session does not, more blocks make no verdict.
    const isUndecided = decision.verdict === 'undecided' && decision.because !== 'mean-differs';
    const needsMore = isUndecided || isOpen(decision, pair.metric);
    return needsMore ? 'open' : 'answered';
  }
  if (made.kind === 'no-blocks') return 'open';
  if (made.kind === 'not-given' || made.zeros === 'none') return 'hopeless';
  return made.zeros === 'same' ? 'answered' : 'open';
}

function becauseOf({ decision }: TableEntry): readonly string[] {
  return decision.kind === 'no-ratio' ? [decision.because] : [];
}

export interface TableEntry {
  readonly pair: Pair;
  readonly decision: PairDecision;
  /** A difference that holds in the whole table. */
  readonly discovery: boolean;
}

/**
 * Decides a table of K pairs, with a budget for differences and another for equivalences, so that a
 * row that is clearly different does not wait for rows that are the same. For the largest R such that
 * R rows differ at the level αR / K, these rows are called so, with their intervals at that level;
 * likewise those that are equivalent. The others are undecided, at the level α(R + 1) / K that one
 * more would have to reach, of the smaller R. Then the share of wrong ones among the differences is at
 * most α in the mean, and so is that among the equivalences, for any dependence between rows and any
 * stopping time (e-BY: Xu, Wang & Ramdas 2024, Post-selection inference for e-value based confidence
 * intervals, Electron. J. Statist. 18:2292).
 *
 * That takes e-values, so a row rests on the last look alone: see `DecisionRules`. A single pair is
 * no table, and rests on all looks.
 */
export function decideTable(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  { alpha, margin, quarantined, firstRound, presences }: Rules,
): readonly TableEntry[] {
  const trialsOf = indexPairs(trials);
  // Pairs without a value of their metric are no rows: whether a browser gives one says nothing of it.
  const givers = new Map(pairs.map((pair) => [pair, givenBy(trialsOf(pair), pair)]));
  const given = pairs.filter((pair) => givers.get(pair) === 'both');
  const made = given.map((pair) =>
    comparePair(trialsOf(pair), pair, { quarantined, firstRound, presences }),
  );
  const isTable = given.length > 1;
  const levels = levelsOf(
    made.map((one) =>
      one.kind === 'comparison' ? logDecisiveness(one.comparison, margin) : undecidable,
    ),
    alpha,
  );
  const places = new Map(given.map((pair, index) => [pair, index]));
  return pairs.map((pair) => {
    const index = places.get(pair) ?? -1;
    const by = givers.get(pair) ?? null;
    const one = made[index] ?? { kind: 'not-given', onlyBy: by === 'both' ? null : by };
    if (one.kind !== 'comparison') return { pair, decision: one, discovery: false };
    const rules = isTable
      ? ({ margin, alpha: levels[index] ?? alpha, looks: 'last' } as const)
      : ({ margin, alpha, looks: 'all' } as const);
    const decision = decideComparison(one.comparison, pair, rules);
    return { pair, decision, discovery: isDifference(decision) };
  });
}

const undecidable: Decisiveness = { different: -Infinity, equivalent: -Infinity };

/**
 * The level of the interval of each row of a table. One that is selected for both, a difference that is
 * shown to be smaller than the margin, is called equivalent, and so has the level of that budget.
 */
function levelsOf(rows: readonly Decisiveness[], alpha: number): readonly number[] {
  const budgets = (['equivalent', 'different'] as const).map((budget) => {
    const selected = eBh(
      rows.map((row) => row[budget]),
      alpha,
    );
    return { selected, count: selected.filter(Boolean).length };
  });
  const open = Math.min(rows.length, ...budgets.map(({ count }) => count + 1));
  return rows.map((_, index) => {
    const own = budgets.find(({ selected }) => selected[index] === true);
    return (alpha * (own?.count ?? open)) / rows.length;
  });
}

function isDifference(made: PairDecision): boolean {
  if (made.kind !== 'decided-on') return false;
  return made.decision.verdict === 'faster' || made.decision.verdict === 'slower';
}

/** Whether the pages rarely give a metric that they need not give: more blocks are no help worth their time. */
function isRare(trials: readonly Trial[], pair: Pair): boolean {
  return isGivenAtTimes(trials, pair) && blocksWithout(trials, pair) >= blocksWithoutOptional;
}

/** Whether both sides went well in the last block, and one has no value of a metric that need not be there. */
function isGivenAtTimes(trials: readonly Trial[], { a, b, metric }: Pair): boolean {
  if (metric.optional !== true) return false;
  const last = trials.reduce((most, { job }) => Math.max(most, job.block), -1);
  return [a, b].every(({ deviceId, case: one }) =>
    trials.some(
      (trial) =>
        trial.job.block === last &&
        trial.job.deviceId === deviceId &&
        caseName(trial.job.case) === caseName(one) &&
        trial.outcome.kind === 'completed' &&
        !isQuarantined(trial),
    ),
  );
}

function blocksWithout(trials: readonly Trial[], pair: Pair): number {
  const blocks = new Set(trials.map((trial) => trial.job.block)).size;
  return blocks - 1 - (pairValues(trials, pair).at(-1)?.block ?? -1);
}

function vanishing(trials: readonly Trial[], pair: Pair): string | null {
  if (isGivenAtTimes(trials, pair)) return null;
  const without = blocksWithout(trials, pair);
  const last = trials.findLast(
    (trial) =>
      (trial.job.deviceId === pair.a.deviceId || trial.job.deviceId === pair.b.deviceId) &&
      (trial.outcome.kind !== 'completed' || isQuarantined(trial)),
  );
  const limit =
    last !== undefined && isQuarantined(last) ? quarantinedBlocksWithoutPair : blocksWithoutPair;
  if (without < limit) return null;
  return `${last?.job.deviceId ?? 'a side'} gave no result in ${String(without)} blocks in a row: ${whyOf(last)}`;
}

function whyOf(trial: Trial | undefined): string {
  switch (trial?.outcome.kind) {
    case undefined:
      return 'no trial';
    case 'completed':
      return `quarantined, because ${trial.outcome.quarantine.join(', ')}`;
    case 'skipped':
      return trial.outcome.reason;
    case 'failed':
    case 'timed-out':
      return trial.outcome.failure.message;
  }
}

/**
 * Returns whether the last of these trials completes its round: everything planned in it has an
 * outcome, and so have the repeats. Machines work in parallel, so any trial may be a round's last.
 */
export function endsRound(plan: Plan, trials: readonly Trial[]): boolean {
  const last = trials.at(-1);
  if (last === undefined) return false;
  const jobs = jobsOfRound(plan, last.job.block);
  const blocks = new Set(jobs.map(({ block }) => block));
  const ended = trials.filter(({ job }) => blocks.has(job.block));
  const repeated = new Set(ended.map(({ job }) => job.repeats));
  const owesRepeat = (trial: Trial): boolean =>
    !repeated.has(trial.job.ordinal) &&
    deservesRepeat(trial, plan, trials.slice(0, trials.indexOf(trial)));
  if (ended.some(owesRepeat)) return false;
  const done = new Set(ended.map(({ job }) => job.ordinal));
  return jobs.every(({ ordinal }) => done.has(ordinal));
}
