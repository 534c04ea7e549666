import { caseName, type Metric } from '../model/case.ts';
import { jobsOfRound, type Plan } from '../model/plan.ts';
import { deservesRepeat, isQuarantined, type Trial } from '../model/trial.ts';
import { decideTable, type TableEntry, type TableRules } from './decide.ts';
import { type Pair, pairValues } from './pairs.ts';
import type { Decision } from './stats/verdict.ts';

/** The rule that ends a run of comparisons. */
export type StopState =
  | { readonly kind: 'go-on' }
  /** Every pair has a verdict that holds in the whole table. */
  | { readonly kind: 'decided' }
  /** The open pairs lack a side that gives no more values: more blocks would only cost time. */
  | { readonly kind: 'vanished'; readonly reason: string };

export type Rules = TableRules & {
  /** Which pairs with a verdict need more blocks all the same; none when left out. */
  readonly isOpen?: IsOpen | undefined;
  /** A share: pairs need blocks until their intervals are so narrow (`intervalReach`), and no longer. */
  readonly precision?: number | undefined;
};

type OpenRules = Pick<Rules, 'isOpen' | 'precision'>;

/**
 * How far an interval reaches to either side of its middle, as a share: 0.05 is ± 5 %. Infinite before
 * it has two ends.
 */
export function intervalReach({ low, high }: Pick<Decision, 'low' | 'high'>): number {
  if (low === null || high === null || low <= 0) return Infinity;
  return Math.sqrt(high / low) - 1;
}

/** True if a pair with a verdict still needs more blocks. */
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

/** A metric that some loads of a page lack: the number of such blocks in a row. */
const blocksWithoutOptional = 10;

/** Decides whether a run of comparisons may stop at the end of a round. */
export function stopState(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  rules: Rules,
): StopState {
  return stopStateOf(decideTable(trials, pairs, rules), trials, rules);
}

/** The same, once the table of these trials is decided. */
export function stopStateOf(
  table: readonly TableEntry[],
  trials: readonly Trial[],
  rules: OpenRules = {},
): StopState {
  const reasons = listOpen(table, trials, rules).map(({ pair }) => vanishing(trials, pair));
  if (reasons.includes(null)) return { kind: 'go-on' };
  // More blocks give it no ratio, and it does not make what is decided worse.
  const isDecided = table.some((entry) => standingOf(entry, rules) === 'answered');
  const [reason] = isDecided ? reasons : [...reasons, ...table.flatMap(becauseOf)];
  return typeof reason === 'string' ? { kind: 'vanished', reason } : { kind: 'decided' };
}

/** Returns the rows of a table that more blocks may decide, and that are worth their time. */
export function listOpen(
  table: readonly TableEntry[],
  trials: readonly Trial[],
  rules: OpenRules = {},
): readonly TableEntry[] {
  return table.filter(
    (entry) => standingOf(entry, rules) === 'open' && !isRare(trials, entry.pair),
  );
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

/** The possible effect of more blocks on a row. */
function standingOf(
  { pair, decision: made }: TableEntry,
  { isOpen = () => false, precision }: OpenRules,
): 'open' | 'answered' | 'hopeless' {
  if (made.kind === 'decided-on') {
    const { decision } = made;
    const needsMore =
      (precision === undefined ? isUndecided(decision) : intervalReach(decision) > precision) ||
      isOpen(decision, pair.metric);
    return needsMore ? 'open' : 'answered';
  }
  if (made.kind === 'no-blocks') return 'open';
  if (made.kind === 'not-given' || made.zeros === 'none') return 'hopeless';
  return made.zeros === 'same' ? 'answered' : 'open';
}

/** Of means that differ, while the typical session does not, more blocks make no verdict. */
function isUndecided({ verdict, because }: Decision): boolean {
  return verdict === 'undecided' && because !== 'mean-differs';
}

function becauseOf({ decision }: TableEntry): readonly string[] {
  return decision.kind === 'no-ratio' ? [decision.because] : [];
}

/** True if the pages rarely give an optional metric: more blocks are not worth their time. */
function isRare(trials: readonly Trial[], pair: Pair): boolean {
  return isGivenAtTimes(trials, pair) && blocksWithout(trials, pair) >= blocksWithoutOptional;
}

/**
 * True if both sides went well in the last block, and one lacks the value of an optional metric.
 */
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
