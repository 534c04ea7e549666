import { jobsOfRound, type Plan } from '../model/plan.ts';
import { deservesRepeat, isQuarantined, type Trial } from '../model/trial.ts';
import { eBh } from '../stats/e-bh.ts';
import {
  decidePair,
  indexPairs,
  pairValues,
  type Pair,
  type PairDecision,
  type PairRules,
} from './decisions.ts';

/** When a run of comparisons may stop. */
export type Standing =
  | { readonly kind: 'go-on' }
  /** Every pair has a verdict, and the table as a whole keeps its false discovery rate. */
  | { readonly kind: 'decided' }
  /** What is still open lacks a side that gives no more values: going on would only cost time. */
  | { readonly kind: 'vanished'; readonly reason: string };

export type Rules = PairRules & { readonly alpha: number };

/** A side may fail now and then; after this many blocks in a row without a pair it has vanished. */
const blocksWithoutPair = 3;

/**
 * A machine that was too busy may be quiet again in a minute, so quarantined trials end a run later;
 * but a machine that is always busy would else keep it up to its last block.
 */
const quarantinedBlocksWithoutPair = 10;

/** Where a run of comparisons stands at the end of a round. */
export function standingOf(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  rules: Rules,
): Standing {
  const open = decideTable(trials, pairs, rules).filter(isOpen);
  const reasons = open.map(({ pair, decision }) =>
    decision.kind === 'no-ratio' ? decision.because : vanishing(trials, pair),
  );
  if (reasons.includes(null)) return { kind: 'go-on' };
  const [reason] = reasons;
  return typeof reason === 'string' ? { kind: 'vanished', reason } : { kind: 'decided' };
}

/** A difference that the table does not bear (e-BH) is not decided yet. */
function isOpen({ decision, discovery }: TableEntry): boolean {
  if (decision.kind !== 'decided-on') return true;
  const { verdict } = decision.decision;
  return verdict === 'undecided' || (verdict !== 'equivalent' && !discovery);
}

export interface TableEntry {
  readonly pair: Pair;
  readonly decision: PairDecision;
  /** The difference survives e-BH over the whole table. */
  readonly discovery: boolean;
}

/** The verdicts of a table, with the false discovery rate of its differences held at α by e-BH. */
export function decideTable(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  rules: Rules,
): readonly TableEntry[] {
  const trialsOf = indexPairs(trials);
  const decisions = pairs.map((pair) => decidePair(trialsOf(pair), pair, rules));
  const evidence = decisions.map((one) =>
    one.kind === 'decided-on' ? one.decision.logEValue : -Infinity,
  );
  const discoveries = eBh(evidence, rules.alpha);
  return pairs.map((pair, index) => ({
    pair,
    decision: decisions[index] ?? { kind: 'no-blocks' },
    discovery: discoveries[index] ?? false,
  }));
}

function vanishing(trials: readonly Trial[], pair: Pair): string | null {
  const blocks = new Set(trials.map((trial) => trial.job.block)).size;
  const without = blocks - 1 - (pairValues(trials, pair).at(-1)?.block ?? -1);
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
 * Whether the last of these trials completes its round: all that was planned of it has an outcome,
 * and so have the repeats of those. Machines work side by side, so any trial may be a round's last.
 */
export function endsRound(plan: Plan, trials: readonly Trial[]): boolean {
  const last = trials.at(-1);
  if (last === undefined) return false;
  const jobs = jobsOfRound(plan, last.job.block);
  const blocks = new Set(jobs.map(({ block }) => block));
  const ended = trials.filter(({ job }) => blocks.has(job.block));
  const repeated = new Set(ended.map(({ job }) => job.repeats));
  const owesRepeat = (trial: Trial): boolean =>
    deservesRepeat(trial, plan) && !repeated.has(trial.job.ordinal);
  if (ended.some(owesRepeat)) return false;
  const done = new Set(ended.map(({ job }) => job.ordinal));
  return jobs.every(({ ordinal }) => done.has(ordinal));
}
