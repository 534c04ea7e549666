import { caseName } from '../model/case.ts';
import type { Trial } from '../model/trial.ts';
import type { PairVerdict } from '../results/verdicts.ts';
import {
  comparePair,
  givenBy,
  indexPairs,
  type Pair,
  type PairComparison,
  type RunCircumstances,
  type Side,
} from './pairs.ts';
import { eBh } from './stats/benjamini-hochberg.ts';
import {
  type Comparison,
  decide,
  type Decision,
  type Decisiveness,
  type DecisionRules,
  logDecisiveness,
} from './stats/verdict.ts';

/**
 * The decision on a pair, by the rule of `stats/verdict.ts`, or the reason why it is missing. Not
 * every browser gives an optional metric, and not every version of a page.
 */
export type PairDecision =
  | {
      readonly kind: 'decided-on';
      readonly decision: Decision;
      /** a / b of each block in common, in their order: the decision rests on these. */
      readonly blockRatios: readonly number[];
    }
  | { readonly kind: 'not-given'; readonly onlyBy: Side | null }
  | Exclude<PairComparison, { kind: 'comparison' }>;

export type PairRules = Omit<DecisionRules, 'better'> & RunCircumstances;

/** Decides a pair; this is allowed after every round. */
export function decidePair(
  trials: readonly Trial[],
  pair: Pair,
  { quarantined, firstRound, presences, ...rules }: PairRules,
): PairDecision {
  const made = comparePair(trials, pair, { quarantined, firstRound, presences });
  return made.kind === 'comparison' ? decideComparison(made.comparison, pair, rules) : made;
}

function decideComparison(
  comparison: Comparison,
  { metric }: Pair,
  rules: Omit<DecisionRules, 'better'>,
): PairDecision {
  const decision = decide(comparison, { ...rules, better: metric.direction });
  return { kind: 'decided-on', decision, blockRatios: comparison.differences.map(Math.exp) };
}

export type TableRules = PairRules & { readonly alpha: number };

export interface TableEntry {
  readonly pair: Pair;
  readonly decision: PairDecision;
  /** A difference that holds in the whole table. */
  readonly discovery: boolean;
}

/**
 * Decides a table of K pairs, with a budget for differences and another for equivalences, so that a
 * row that is clearly different does not wait for rows that are the same. For the largest R such
 * that R rows differ at the level αR / K, these rows are called so, with their intervals at that
 * level; likewise those that are equivalent. The others are undecided, at the level α(R + 1) / K
 * that one more would have to reach, of the smaller R. Then the expected share of wrong ones is at
 * most α among the differences, and among the equivalences, for any dependence between rows and any
 * stopping time (e-BY: Xu, Wang & Ramdas 2024, Post-selection inference for e-value based
 * confidence intervals, Electron. J. Statist. 18:2292).
 *
 * That takes e-values, so a row rests on the last look alone: see `DecisionRules`. A single pair is
 * not a table, and rests on all looks.
 */
export function decideTable(
  trials: readonly Trial[],
  pairs: readonly Pair[],
  { alpha, margin, quarantined, firstRound, presences }: TableRules,
): readonly TableEntry[] {
  const trialsOf = indexPairs(trials);
  // Pairs without a value of their metric are no rows: whether a browser gives one says nothing of it.
  const givers = new Map(pairs.map((pair) => [pair, givenBy(trialsOf(pair), pair)]));
  const given = pairs.filter((pair) => givers.get(pair) === 'both');
  const made = given.map((pair) =>
    comparePair(trialsOf(pair), pair, { quarantined, firstRound, presences }),
  );
  const isTable = given.length > 1;
  const levels = tableLevels(
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

export const undecidable: Decisiveness = { different: -Infinity, equivalent: -Infinity };

/**
 * The level of the interval of each row of a table. One that is selected for both, a difference that is
 * shown to be smaller than the margin, is called equivalent, and so has the level of that budget.
 */
export function tableLevels(rows: readonly Decisiveness[], alpha: number): readonly number[] {
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

/** The decision on the only pair of a table; null where it cannot be decided. */
export function decisionIn([entry]: readonly TableEntry[]): Decision | null {
  return entry?.decision.kind === 'decided-on' ? entry.decision.decision : null;
}

export function describeEntry({
  pair,
  decision: made,
  discovery,
}: TableEntry): readonly PairVerdict[] {
  return made.kind === 'decided-on' ? [{ ...describePair(pair, made.decision), discovery }] : [];
}

/** The same with the ratio of each block, where every block is drawn. */
export function describeWithBlocks(entry: TableEntry): readonly PairVerdict[] {
  const { decision: made } = entry;
  if (made.kind !== 'decided-on') return [];
  return describeEntry(entry).map((pair) => ({ ...pair, blockRatios: [...made.blockRatios] }));
}

/** Describes the decision on a pair for reports, before that of the whole table is known. */
export function describePair(pair: Pair, decision: Decision): Omit<PairVerdict, 'discovery'> {
  const { verdict, ratio, low, high, blocks, significant, relevant, mean, because, moreBlocks } =
    decision;
  const side = (one: Side) => ({ targetId: one.deviceId, caseName: caseName(one.case) });
  return {
    a: side(pair.a),
    b: side(pair.b),
    metric: pair.metric.id,
    unit: pair.metric.unit,
    direction: pair.metric.direction,
    verdict,
    ratio,
    low,
    high,
    blocks,
    significant,
    relevant,
    ...(mean !== null && { mean }),
    because,
    moreBlocks,
  };
}
