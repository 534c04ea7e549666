import { studentTwoSidedQuantile } from '../../core/analysis/stats/student-t.ts';
import type { ComparedRow } from './comparison-answer.ts';
import type { HistoryEntry } from './history.ts';

/** A commit of the main branch, compared with the one that was measured before it. */
export interface Point {
  readonly entry: HistoryEntry;
  readonly row: ComparedRow;
  /** The product of the ratios so far. */
  readonly level: number;
  /** Its base is not the commit before in this history. */
  readonly isApart: boolean;
}

/** One measure of a page in one browser, over the commits. */
export interface Trend {
  readonly page: string;
  readonly device: string;
  readonly title: string;
  readonly unit: string;
  readonly points: readonly Point[];
}

/** Commits that change a measure together, though none of them was decided to. */
export interface Drift {
  /** Places among the points of a trend, both included. */
  readonly from: number;
  readonly to: number;
  /** Of the last commit to the one before the first. */
  readonly ratio: number;
}

/** Puts the comparisons of pushes together: pull requests have no trend. */
export function findTrends(entries: readonly HistoryEntry[]): readonly Trend[] {
  const trends = new Map<string, Trend & { readonly points: Point[] }>();
  // Of a commit that was measured again the newest result.
  const newest = new Map(
    entries.filter(({ pull }) => pull === null).map((one) => [one.page + one.head.hash, one]),
  );
  for (const entry of newest.values()) {
    for (const row of entry.rows) {
      const { device, title, unit, page = entry.page } = row;
      const key = JSON.stringify([page, device, title]);
      const trend = trends.get(key) ?? { page, device, title, unit, points: [] };
      trends.set(key, trend);
      const before = trend.points.at(-1);
      trend.points.push({
        entry,
        row,
        level: (before?.level ?? 1) * (row.ratio ?? 1),
        isApart: before !== undefined && before.entry.head.hash !== entry.base.hash,
      });
    }
  }
  return [...trends.values()];
}

/** True for a commit whose own comparison shows a difference. */
export function isChange({ row: { verdict } }: Pick<Point, 'row'>): boolean {
  return verdict === 'slower' || verdict === 'faster';
}

/** Of all drifts of a page together, and of one comparison's interval. */
const [alpha, confidence] = [0.05, 0.95];
/** A smaller sum does not matter, and may be a bias that each comparison has. */
const leastChange = 0.03;
const mostCommits = 200;

/**
 * Finds changes that are too small in each commit to be decided, and are one in sum. Each comparison
 * measures both of its commits again, so the logarithms of ratios are independent. Their sum over a stretch
 * of commits is normal; its variance is the sum of theirs. A variance is taken from the width of the
 * comparison's interval, as if that were a normal one. It is too large rather than too small, because the
 * interval holds at every look. All stretches share one error rate (Bonferroni). The clearest stretch is
 * kept, then the search goes on before and after it.
 *
 * Limits: it is a suspicion. Comparisons that ended early are a little too large, and only a comparison
 * of both ends shows the whole change.
 */
export function findDrifts(points: readonly Point[], trends = 1): readonly Drift[] {
  const steps = points.map(measureStep);
  const stretches = splitWhere(points, (point, i) => point.isApart || steps[i] === null);
  const count = stretches.reduce((sum, { length }) => sum + countWindows(length), 0);
  if (count === 0) return [];
  const level = alpha / (count * trends);
  // With a million degrees of freedom Student's t is the normal distribution.
  const limit = studentTwoSidedQuantile(1 - level, 1e6);
  return stretches.flatMap((places) => findClearest(places, steps, limit));
}

interface Step {
  /** ln of the ratio. */
  readonly change: number;
  readonly variance: number;
}

/** Null where the comparison has no interval, or shows a difference by itself. */
function measureStep(point: Point): Step | null {
  const { ratio, low, high } = point.row;
  if (isChange(point) || ratio === null || low === null || high === null) return null;
  if (!(ratio > 0 && low > 0 && high > low && Number.isFinite(high))) return null;
  const deviation = Math.log(high / low) / 2 / studentTwoSidedQuantile(confidence, 1e6);
  return { change: Math.log(ratio), variance: deviation ** 2 };
}

/** Places of points that follow each other; a stretch ends before a point that `isSplit`. */
function splitWhere(
  points: readonly Point[],
  isSplit: (point: Point, place: number) => boolean,
): readonly (readonly number[])[] {
  const stretches: number[][] = [[]];
  for (const [place, point] of points.entries()) {
    if (isSplit(point, place)) stretches.push([]);
    stretches.at(-1)?.push(place);
  }
  return stretches;
}

function countWindows(length: number): number {
  const most = Math.min(length, mostCommits);
  return (most - 1) * length - (most * (most - 1)) / 2;
}

function findClearest(
  places: readonly number[],
  steps: readonly (Step | null)[],
  limit: number,
): readonly Drift[] {
  let best: (Drift & { readonly clearness: number }) | null = null;
  for (const [begin, from] of places.entries()) {
    let [change, variance] = [0, 0];
    for (const to of places.slice(begin, begin + mostCommits)) {
      const step = steps[to];
      // The first point of a stretch may be one that has no step.
      if (step === null || step === undefined) break;
      change += step.change;
      variance += step.variance;
      const clearness = Math.abs(change) / Math.sqrt(variance);
      const matters = to > from && Math.abs(change) >= Math.log1p(leastChange);
      if (!matters || clearness < Math.max(limit, best?.clearness ?? 0)) continue;
      best = { from, to, ratio: Math.exp(change), clearness };
    }
  }
  if (best === null) return [];
  const { from, to, ratio } = best;
  return [
    ...findClearest(
      places.filter((one) => one < from),
      steps,
      limit,
    ),
    { from, to, ratio },
    ...findClearest(
      places.filter((one) => one > to),
      steps,
      limit,
    ),
  ];
}
