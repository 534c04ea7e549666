/** How one of several builds stands to the oldest of them. */
export type BuildVerdict =
  | 'as-the-oldest'
  | 'as-the-newest'
  | 'undecided'
  /** It cannot be had, or does not run: the bisection goes on without it. */
  | 'unusable';

export type Bisected =
  /** `last` is the last build that is as the oldest, `first` the next one, which is as the newest. */
  | { readonly kind: 'narrowed'; readonly last: number; readonly first: number }
  /** The oldest and the newest do not differ, so that there is nothing to look for. */
  | { readonly kind: 'no-difference'; readonly last: number; readonly first: number }
  /** Between the same two, but no measurement decided on what lies between them. */
  | { readonly kind: 'undecided'; readonly last: number; readonly first: number };

export interface Bisection {
  /** Builds, the oldest first; at least two. */
  readonly builds: number;
  /** Measures one of them beside the oldest. */
  readonly ask: (build: number) => Promise<BuildVerdict>;
  readonly signal: AbortSignal;
}

/** Measurements that a bisection of so many builds takes: the two ends, then a half at a time. */
export function stepsOf(builds: number): number {
  return 1 + Math.ceil(Math.log2(Math.max(1, builds - 1)));
}

/**
 * Between which two neighbouring builds a difference came, by halving.
 *
 * Each step is decided by the sequential test; with the error rate α / `stepsOf(builds)` for each,
 * all are right together with probability 1 − α. It finds one place where the difference came. Where
 * it came in several steps that is the first that is clear beside the oldest build; where it came,
 * went and came again, it is one of them. An unusable build is passed over, so that the two that are
 * found need not be neighbours.
 */
export async function bisect({ builds, ask, signal }: Bisection): Promise<Bisected> {
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
