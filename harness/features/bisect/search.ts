/** How a commit stands between the two that a search lies between. */
export interface Standing {
  /** It differs from the first, in the way that the last does. */
  readonly differsFromFirst: boolean;
  /** The last differs from it in that way. */
  readonly differsFromLast: boolean;
}

/** Why a commit cannot be measured. */
export interface Unusable {
  readonly unusable: string;
}

export interface Search {
  /** Commits, the oldest first: at least two, of which the last differs from the first. */
  readonly count: number;
  /** The most that are measured together with the two ends. */
  readonly atOnce: number;
  /**
   * Measures some of them beside the commits `first` and `last`, which lie around them.
   * @param points at least one, in their order
   */
  readonly measure: (points: readonly number[], ends: Ends) => Promise<Standings>;
  readonly signal: AbortSignal;
}

export interface Ends {
  readonly first: number;
  readonly last: number;
}

export type Standings = ReadonlyMap<number, Standing | Unusable>;

export interface Place {
  /** `before` is as the first, `after` differs from it, and nothing between them could be told. */
  readonly before: number;
  readonly after: number;
  /** Why those between the two could not be told. */
  readonly skipped: ReadonlyMap<number, string>;
}

/**
 * Finds where a difference came, between two commits that differ. Each round measures some commits
 * beside both ends, and goes on between the last that is as the first and the first that differs
 * from it. Where the difference came in several steps it is the first of them. A commit that cannot
 * be measured, or stays undecided, is passed over, so that the two need not be neighbours.
 */
export async function searchPlace({ count, atOnce, measure, signal }: Search): Promise<Place> {
  let ends: Ends = { first: 0, last: count - 1 };
  const skipped = new Map<number, string>();
  for (;;) {
    const open = pointsBetween(ends).filter((point) => !skipped.has(point));
    if (open.length === 0 || signal.aborted) break;
    const found = await measure(choosePoints(open, atOnce), ends);
    for (const [point, standing] of found) {
      if ('unusable' in standing) skipped.set(point, standing.unusable);
      else if (isUndecided(standing)) skipped.set(point, 'it stayed undecided');
    }
    const next = narrow(ends, found);
    const isStuck = next.first === ends.first && next.last === ends.last;
    ends = next;
    // Other points would hardly be decided where these were not.
    if (isStuck && ![...found.values()].some((one) => 'unusable' in one)) break;
  }
  const { first: before, last: after } = ends;
  const left = new Map(
    pointsBetween(ends).map((point) => [point, skipped.get(point) ?? 'it was not measured']),
  );
  return { before, after, skipped: left };
}

/**
 * The ends of the next round: the first point that differs from the first, and the last one before
 * it that is as the first.
 */
function narrow({ first, last }: Ends, found: Standings): Ends {
  const points = [...found].sort(([one], [other]) => one - other);
  const different = points.find(([, one]) => 'differsFromFirst' in one && one.differsFromFirst);
  const after = different?.[0] ?? last;
  const same = points.findLast(
    ([point, one]) =>
      point < after && 'differsFromLast' in one && one.differsFromLast && !one.differsFromFirst,
  );
  return { first: same?.[0] ?? first, last: after };
}

/** True if the next round lies between two of these that are neighbours: more blocks tell no more. */
export function isNarrowed(points: readonly number[], ends: Ends, found: Standings): boolean {
  const next = narrow(ends, found);
  return points.every((point) => point <= next.first || point >= next.last);
}

function isUndecided({ differsFromFirst, differsFromLast }: Standing): boolean {
  return !differsFromFirst && !differsFromLast;
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
