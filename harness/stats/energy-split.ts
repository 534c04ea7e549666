/** Where a series splits best into two parts, and how unlike they are. */
export interface EnergySplit {
  /** Index of the first value of the second part. */
  readonly index: number;
  /** Q, the scaled energy distance of the parts; about 0 or below where they are alike. */
  readonly strength: number;
}

/**
 * The split of a series that makes its two parts most unlike, by the energy distance with exponent 1.
 *
 * Of x (the first m values) and y (the other n):
 *     Ê = 2/(mn) ΣΣ|x_i − y_j| − 2/(m(m−1)) Σ_{i<k}|x_i − x_k| − 2/(n(n−1)) Σ_{j<k}|y_j − y_k|
 *     Q = mn/(m + n) · Ê,
 * which is largest at the change where there is one, whatever about the distribution changed.
 *
 * Sources: Matteson & James (2014), JASA 109:334–345 (E-divisive); Daly et al. (2020), ICPE, who
 * brought it to performance tests and, as here, let the second part reach to the end of the series.
 * Smallest n: 2 · `shortest`, with `shortest` ≥ 2. Takes n² / 2 steps.
 *
 * @returns null for fewer values.
 */
export function bestEnergySplit(values: readonly number[], shortest: number): EnergySplit | null {
  const n = values.length;
  if (n < 2 * shortest) return null;
  const { toEarlier, toAll, total } = distancesIn(values);
  let within = 0;
  let rest = total;
  let cross = 0;
  let best: EnergySplit | null = null;
  for (let m = 1; m <= n - shortest; m += 1) {
    // Value m − 1 goes from the second part to the first.
    const earlier = toEarlier[m - 1] ?? 0;
    const later = (toAll[m - 1] ?? 0) - earlier;
    within += earlier;
    rest -= later;
    cross += later - earlier;
    if (m < shortest) continue;
    const strength = scaledDistance({ within, rest, cross, m, n: n - m });
    if (best === null || strength > best.strength) best = { index: m, strength };
  }
  return best;
}

interface Sums {
  /** Σ|difference| of pairs inside the first part, inside the second, and between them. */
  readonly within: number;
  readonly rest: number;
  readonly cross: number;
  readonly m: number;
  readonly n: number;
}

function scaledDistance({ within, rest, cross, m, n }: Sums): number {
  const energy = (2 * cross) / (m * n) - (2 * within) / (m * (m - 1)) - (2 * rest) / (n * (n - 1));
  return ((m * n) / (m + n)) * energy;
}

interface Distances {
  /** Σ|x_i − x_j| over j < i, of each i. */
  readonly toEarlier: readonly number[];
  /** The same over all j. */
  readonly toAll: readonly number[];
  /** Over all pairs. */
  readonly total: number;
}

function distancesIn(values: readonly number[]): Distances {
  const toEarlier: number[] = [];
  const toAll: number[] = [];
  let total = 0;
  for (const [i, value] of values.entries()) {
    let sum = 0;
    for (let j = 0; j < i; j += 1) {
      const distance = Math.abs(value - (values[j] ?? 0));
      sum += distance;
      toAll[j] = (toAll[j] ?? 0) + distance;
    }
    toEarlier.push(sum);
    toAll.push(sum);
    total += sum;
  }
  return { toEarlier, toAll, total };
}
