/** A stretch of an engine's clock, in its unit. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The mark of the pages for what was timed: `pages/kit/execution.js`. */
export const windowMark = 'timed window';

/** Sorts stretches, and joins those that touch. */
export function joinStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  const joined: Stretch[] = [];
  for (const one of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || one.from > last.to) joined.push(one);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, one.to) };
  }
  return joined;
}

/** Measures how much of a stretch lies in joined ones. The answers are for stretches that follow each other. */
export function overlapWith(joined: readonly Stretch[]): (one: Stretch) => number {
  let first = 0;
  return ({ from, to }) => {
    while (first < joined.length && (joined[first] as Stretch).to <= from) first += 1;
    let sum = 0;
    for (let i = first; i < joined.length; i += 1) {
      const other = joined[i] as Stretch;
      if (other.from >= to) break;
      sum += Math.min(to, other.to) - Math.max(from, other.from);
    }
    return sum;
  };
}

/** The whole of joined stretches, in milliseconds. */
export function endsOfAll(joined: readonly Stretch[]): { startMs: number; endMs: number } {
  return { startMs: joined[0]?.from ?? 0, endMs: joined.at(-1)?.to ?? 0 };
}
