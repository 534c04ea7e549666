/** Neighbouring iterations taken together, where there are more than can be shown one by one. */
export interface Pool {
  /** Numbers of the first and the last of them. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** At most so many pools, of neighbours, in order; `middle` is the median of each. */
export function poolIterations(
  values: readonly number[],
  { from, most }: { readonly from: number; readonly most: number },
): readonly Pool[] {
  const size = Math.max(1, Math.ceil(values.length / most));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => {
    const own = values.slice(i * size, (i + 1) * size);
    const sorted = own.toSorted((a, b) => a - b);
    const half = (sorted.length - 1) / 2;
    const [below = 0, above = 0] = [sorted[Math.floor(half)], sorted[Math.ceil(half)]];
    return {
      first: from + i * size,
      last: from + i * size + own.length - 1,
      count: own.length,
      low: sorted[0] ?? 0,
      middle: (below + above) / 2,
      high: sorted.at(-1) ?? 0,
    };
  });
}
