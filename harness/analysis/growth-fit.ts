import type { GrowthChart, GrowthFit } from '../../reports/findings.ts';
import { fitGrowth } from './stats/growth.ts';
import { groupBy } from './grouping.ts';

/** A line through two points always fits: only a third shows how well. */
const fewestPoints = 3;

/** The growth per step of every curve with at least three positive points, in the order of the points. */
export function fitCurves(points: GrowthChart['points']): readonly GrowthFit[] {
  const positive = points.filter(({ y }) => y > 0 && Number.isFinite(y));
  const curves = groupBy(positive, ({ targetId, by }) => `${targetId}\n${by}`);
  return [...curves.values()].flatMap((curve) => {
    const [first] = curve;
    const steps = new Set(curve.map(({ x }) => x)).size;
    if (first === undefined || steps < fewestPoints) return [];
    return [{ targetId: first.targetId, by: first.by, ...fitGrowth(curve) }];
  });
}
