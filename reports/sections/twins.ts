import type { Findings } from '../findings.ts';

/** A point weighs about a quarter of a kilobyte in each of its drawings. */
const mostPoints = 1_000;

/** Whether curves may be drawn on both kinds of axis: not where the file would grow by much. */
export function drawnTwice({ growth, crossover, truth }: Findings): boolean {
  const points = [...growth, ...crossover, ...truth].reduce(
    (sum, one) => sum + one.points.length,
    0,
  );
  return points <= mostPoints;
}
