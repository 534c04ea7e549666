import type { Decision } from '../../core/analysis/stats/verdict.ts';

/** How one of several builds stands to the oldest of them. */
export type BuildVerdict =
  | 'as-the-oldest'
  | 'as-the-newest'
  | 'undecided'
  /** It is not available or does not run: the bisection continues without it. */
  | 'unusable';

export type BisectionOutcome =
  /** `last` is the last build that is as the oldest, `first` the next one, which is as the newest. */
  | { readonly kind: 'narrowed'; readonly last: number; readonly first: number }
  /** The oldest and the newest do not differ, so that there is nothing to look for. */
  | { readonly kind: 'no-difference'; readonly last: number; readonly first: number }
  /** Between the same two, but no measurement decided on what lies between them. */
  | { readonly kind: 'undecided'; readonly last: number; readonly first: number };

export interface Bisection {
  /** Builds, the oldest first; at least two. */
  readonly builds: number;
  /** Measures one of them with the oldest. */
  readonly ask: (build: number) => Promise<BuildVerdict>;
  readonly signal: AbortSignal;
}

/** Number of measurements of a bisection: the two ends, then a half at a time. */
export function countSteps(builds: number): number {
  return 1 + Math.ceil(Math.log2(Math.max(1, builds - 1)));
}

/**
 * Finds the two adjacent builds between which a difference came, by halving.
 *
 * Each step is decided by the sequential test; with the error rate α / `countSteps(builds)` for each,
 * all are right together with probability 1 − α. It finds one place where the difference came.
 * Where it came in several steps that is the one with which more than half of it was there; where
 * it came, went and came again, it is one of them. An unusable build is passed over, so that the
 * two need not be adjacent.
 */
export async function bisect({ builds, ask, signal }: Bisection): Promise<BisectionOutcome> {
  let last = 0;
  let first = builds - 1;
  const ends = await ask(first);
  if (ends === 'as-the-oldest') return { kind: 'no-difference', last, first };
  if (ends !== 'as-the-newest') return { kind: 'undecided', last, first };
  let between = Array.from({ length: builds - 2 }, (_, index) => index + 1);
  while (between.length > 0) {
    if (signal.aborted) return { kind: 'undecided', last, first };
    const middle = between[Math.floor((between.length - 1) / 2)] ?? 0;
    const verdict = await ask(middle);
    if (verdict === 'undecided') return { kind: 'undecided', last, first };
    if (verdict === 'as-the-newest') first = middle;
    if (verdict === 'as-the-oldest') last = middle;
    between = between.filter((build) => build > last && build < first && build !== middle);
  }
  return { kind: 'narrowed', last, first };
}

/** A margin lies between 0 and 1: of a build that takes ten times as long half is taken as 2×, too. */
const halves = { smallest: 0.0001, largest: 0.99 };

/**
 * Half of a difference, as a share that a command can name; in logarithms, so that both of its
 * halves are alike.
 */
export function findHalf({ ratio }: Decision): number {
  const { smallest, largest } = halves;
  const half = Math.sqrt(Math.max(ratio, 1 / ratio)) - 1;
  return Math.min(largest, Math.max(smallest, Number(half.toFixed(4))));
}

/**
 * How a build stands to the oldest. Of the newest the difference has to be known to its half.
 * Another build is asked for more or less than half of it. This takes far fewer blocks than to show
 * no difference, and finds the largest of several steps.
 */
export function standing(decision: Decision, sought: Decision | null): BuildVerdict {
  const { verdict, low, high } = decision;
  if (verdict === 'undecided' || low === null || high === null) return 'undecided';
  // A difference the other way round is not the one that is looked for.
  const isOther = sought !== null && verdict !== sought.verdict;
  if (verdict === 'equivalent' || isOther) return 'as-the-oldest';
  const half = 1 + findHalf(sought ?? decision);
  return low > half || high < 1 / half ? 'as-the-newest' : 'undecided';
}
