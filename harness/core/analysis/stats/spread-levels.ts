import { mean, sampleVariance } from 'simple-statistics';
import { requireFinite, StatisticsRefusal } from './refusal.ts';

/** Variance components of one measured quantity, from the innermost level out. */
export interface SpreadLevels {
  /** Between iterations of one stretch. */
  readonly iterations: number;
  /** Between stretches of one session, beyond what their iterations explain. */
  readonly stretches: number;
  /** Between sessions, beyond what their stretches explain. */
  readonly sessions: number;
  /** Between the means of stretches of one session, as observed: what a longer window averages. */
  readonly stretchMeans: number;
}

/**
 * Splits the variance of `values[session][stretch][iteration]` by level.
 *
 * S₁² is the mean of the variances inside the stretches, S₂² is computed from the stretches' means
 * inside the sessions, S₃² from the sessions' means. Each holds what the level below adds to a mean
 * of n of them, so the components are T₁² = S₁², T₂² = S₂² − S₁²/n₁, T₃² = S₃² − S₂²/n₂. Where the
 * counts differ, n is their harmonic mean. A component that comes out below 0 is 0.
 *
 * Source: Kalibera & Jones (2013), “Rigorous benchmarking in reasonable time”, ISMM. Assumption:
 * sessions are independent of each other; values of one level have one variance.
 *
 * Smallest n: two sessions, of two stretches, of two iterations.
 * @throws StatisticsRefusal `empty`, `not-finite`, `too-few`.
 */
export function spreadLevels(values: readonly (readonly (readonly number[])[])[]): SpreadLevels {
  requireTwo(values, 'session');
  for (const session of values) {
    requireTwo(session, 'stretch');
    for (const stretch of session) {
      requireTwo(stretch, 'iteration');
      requireFinite(stretch, 'iteration');
    }
  }
  const means = values.map((session) => session.map((stretch) => mean([...stretch])));
  const iterations = mean(values.flat().map((stretch) => sampleVariance([...stretch])));
  const stretchMeans = mean(means.map((session) => sampleVariance(session)));
  const sessionMeans = sampleVariance(means.map((session) => mean(session)));
  const perStretch = harmonicMean(values.flat().map(({ length }) => length));
  const perSession = harmonicMean(values.map(({ length }) => length));
  return {
    iterations,
    stretches: Math.max(0, stretchMeans - iterations / perStretch),
    sessions: Math.max(0, sessionMeans - stretchMeans / perSession),
    stretchMeans,
  };
}

function requireTwo(all: readonly unknown[], what: string): void {
  if (all.length >= 2) return;
  throw new StatisticsRefusal(
    'too-few',
    `There is ${all.length === 0 ? 'no' : 'only one'} ${what}; a spread takes two of each level.`,
  );
}

function harmonicMean(counts: readonly number[]): number {
  return counts.length / counts.reduce((sum, count) => sum + 1 / count, 0);
}

/**
 * Returns how long one session should time for the narrowest interval in a given total time.
 *
 * With r stretches of length c₁ in a session that costs c₂ besides, the mean over N sessions has
 * the variance (T₃² + S²/r) / N and takes N (c₂ + r c₁). For a fixed total time it is least at r =
 * √(c₂ S² / (c₁ T₃²)), so the window is r c₁ = √(c₁ c₂ S² / T₃²), and at least one stretch.
 * Infinite if sessions do not differ beyond their own noise: then a new one gains nothing.
 *
 * Source: Kalibera & Jones (2013), the optimal number of repetitions, for two levels.
 * Assumption: stretches are long enough to be independent of each other.
 */
export function bestWindow({ stretch, session, spread }: PricedSpread): number {
  if (spread.sessions === 0) return spread.stretchMeans === 0 ? stretch : Infinity;
  const ideal = Math.sqrt((stretch * session * spread.stretchMeans) / spread.sessions);
  return Math.max(stretch, ideal);
}

/** The inputs of the best window; times in one unit. */
export interface PricedSpread {
  /** Length of one stretch, c₁. */
  readonly stretch: number;
  /** Cost of a session besides its window, c₂. */
  readonly session: number;
  readonly spread: Pick<SpreadLevels, 'stretchMeans' | 'sessions'>;
}

/**
 * Returns the same for k sides that are compared in blocks and share one length w. The log ratio of
 * a block has the variance Σ (T₃² + S² c₁ / w), and the block takes Σ (c₂ + w); the product is
 * least at w = √(Σ c₂ · Σ S² c₁ / (k Σ T₃²)). That is the best window of a session with the mean of
 * their costs and the spreads of all, with stretches of one unit of time. So a side with equal
 * sessions does not ask for a long window where the other's differ more than any window averages.
 *
 * Source and assumptions: as of `bestWindow`. Never below one unit of time. Smallest n: one side.
 */
export function bestSharedWindow(sides: readonly PricedSpread[]): number {
  const sum = (of: (side: PricedSpread) => number): number =>
    sides.reduce((total, side) => total + of(side), 0);
  return bestWindow({
    stretch: 1,
    session: sum(({ session }) => session) / sides.length,
    spread: {
      stretchMeans: sum(({ stretch, spread }) => stretch * spread.stretchMeans),
      sessions: sum(({ spread }) => spread.sessions),
    },
  });
}
