/** The two measured commits between which a search lies. */
export interface Ends {
  readonly first: number;
  readonly last: number;
}

/** What a round found: two of its commits between which the step lies, or commits that cannot be measured. */
export type RoundAnswer =
  | (Ends & { readonly kind: 'narrowed' })
  | { readonly kind: 'unusable'; readonly why: ReadonlyMap<number, string> };

export interface Search {
  /** Commits, the oldest first: at least two, of which the last differs from the first. */
  readonly count: number;
  /** The most that are measured together with the two ends. */
  readonly atOnce: number;
  /**
   * Measures some of them beside the commits `first` and `last`, which lie around them; null if it was
   * interrupted.
   * @param points at least one, in their order
   */
  readonly measure: (points: readonly number[], ends: Ends) => Promise<RoundAnswer | null>;
}

export interface Place {
  /** `before` is like the first, `after` like the last, and nothing between them could be told. */
  readonly before: number;
  readonly after: number;
  /** Why those between the two could not be told. */
  readonly skipped: ReadonlyMap<number, string>;
}

/**
 * Finds where a difference came, between two commits that differ. Each round measures some commits
 * beside both ends, and goes on between the two of them that the step lies between. Where the
 * difference came in several steps it is one of them. A commit that cannot be measured, or stays
 * undecided, is passed over, so that the two need not be neighbours.
 */
export async function searchPlace({ count, atOnce, measure }: Search): Promise<Place> {
  let ends: Ends = { first: 0, last: count - 1 };
  const skipped = new Map<number, string>();
  for (;;) {
    const open = pointsBetween(ends).filter((point) => !skipped.has(point));
    if (open.length === 0) break;
    const points = choosePoints(open, atOnce);
    const found = await measure(points, ends);
    if (found === null) break;
    if (found.kind === 'unusable') {
      for (const [point, why] of found.why) skipped.set(point, why);
      continue;
    }
    const isStuck = found.first === ends.first && found.last === ends.last;
    ends = { first: found.first, last: found.last };
    for (const point of points) {
      if (isInside(point, ends)) skipped.set(point, 'it stayed undecided');
    }
    // Other points would hardly be decided where these were not.
    if (isStuck) break;
  }
  const { first: before, last: after } = ends;
  const left = new Map(
    pointsBetween(ends).map((point) => [point, skipped.get(point) ?? 'it was not measured']),
  );
  return { before, after, skipped: left };
}

function isInside(point: number, { first, last }: Ends): boolean {
  return point > first && point < last;
}

function pointsBetween({ first, last }: Ends): readonly number[] {
  return Array.from({ length: last - first - 1 }, (_, index) => first + 1 + index);
}

/** Some of these, which part them evenly. */
function choosePoints(open: readonly number[], atOnce: number): readonly number[] {
  const wanted = Math.min(atOnce, open.length);
  const places = Array.from({ length: wanted }, (_, index) =>
    Math.floor(((index + 1) * (open.length + 1)) / (wanted + 1)),
  );
  return places.flatMap((place) => open[place - 1] ?? []);
}

/** The rounds of a search among so many commits, if each of them can be told. */
export function countRounds(commits: number, atOnce: number): number {
  let [left, rounds] = [Math.max(0, commits - 2), 0];
  for (; left > 0; rounds += 1) {
    // The parts lie between the points.
    left = Math.ceil((left - Math.min(atOnce, left)) / (Math.min(atOnce, left) + 1));
  }
  return rounds;
}
