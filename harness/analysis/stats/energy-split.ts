/** Where a series splits best, and how unlike the parts are. */
export interface EnergySplit {
  /** Index of the first value of the second part. */
  readonly index: number;
  /** Index after its last value: what follows belongs to neither part. */
  readonly end: number;
  /** Q, the scaled energy distance of the parts; about 0 or below where they are alike. */
  readonly strength: number;
}

export interface SplitRules {
  /** Values that each part has at least; 2 or more. */
  readonly shortest: number;
  /** The same of a second part that reaches to the end of the series; `shortest` when left out. */
  readonly shortestLast?: number;
}

/**
 * The split of a series that makes two neighbouring parts most unlike, by the energy distance with
 * exponent 1. The first part begins with the series, the second ends wherever that helps: so a level
 * that went back later does not hide that it came.
 *
 * Of x (the first m values) and y (the n values from `index` to `end`):
 *     Ê = 2/(mn) ΣΣ|x_i − y_j| − 2/(m(m−1)) Σ_{i<k}|x_i − x_k| − 2/(n(n−1)) Σ_{j<k}|y_j − y_k|
 *     Q = mn/(m + n) · Ê,
 * which is largest at a change where there is one, whatever about the distribution changed.
 *
 * Sources: Matteson & James (2014), JASA 109:334–345 (E-divisive, (2.5) to (2.7)); Daly et al.
 * (2020), ICPE, brought it to performance tests. Takes n² / 2 steps, by sums of distances that grow
 * with the end: S(m, end) = Σ|v_i − v_j| over i < m, j < end.
 *
 * @returns null for a series that is shorter than two parts.
 */
export function bestEnergySplit(
  values: readonly number[],
  { shortest, shortestLast = shortest }: SplitRules,
): EnergySplit | null {
  const all = values.length;
  const shareOf = reciprocals(all);
  const series = Float64Array.from(values);
  // Row m of S at the present end, and S(m, m), which is twice the sum over all pairs of the first m.
  const rows = new Float64Array(all + 1);
  const squares = new Float64Array(all + 1);
  let best: EnergySplit | null = null;
  for (let end = 1; end <= all; end += 1) {
    const value = at(series, end - 1);
    const least = end === all ? shortestLast : shortest;
    let toEarlier = 0;
    for (let m = 1; m < end; m += 1) {
      toEarlier += Math.abs(value - at(series, m - 1));
      rows[m] = at(rows, m) + toEarlier;
    }
    const square = at(squares, end - 1) + 2 * toEarlier;
    rows[end] = square;
    squares[end] = square;
    for (let m = shortest; m <= end - least; m += 1) {
      const n = end - m;
      const row = at(rows, m);
      const first = at(squares, m);
      // Twice the sums over the pairs between the parts, and inside the second one.
      const cross = 2 * (row - first);
      const second = square - 2 * row + first;
      // Q, with mn and m + n taken into the sum.
      const inside = first * n * at(shareOf, m - 1) + second * m * at(shareOf, n - 1);
      const strength = (cross - inside) * at(shareOf, end);
      if (best === null || strength > best.strength) best = { index: m, end, strength };
    }
  }
  return best;
}

let known = new Float64Array();

/** 1 / k for k up to `count`: a division takes several times as long as a product, and there are n² of them. */
function reciprocals(count: number): Float64Array {
  if (known.length <= count) known = Float64Array.from({ length: 2 * count + 1 }, (_, k) => 1 / k);
  return known;
}

/** A value that is there; the compiler cannot know that it is. */
function at(values: Float64Array, index: number): number {
  return values[index] ?? NaN;
}
