import { linearRegression } from 'simple-statistics';
import { requireFinite, requireLevel, requirePositive, StatisticsRefusal } from './refusal.ts';
import { studentTwoSidedQuantile } from './student-t.ts';

interface GrowthPoint {
  /** The parameter, such as n of fib(n). */
  readonly x: number;
  /** The time (any unit) at that parameter. */
  readonly y: number;
}

interface Growth {
  /** Factor by which y grows when x grows by 1: 1.618 for a naive fib(n). */
  readonly perStep: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
  readonly points: number;
}

/**
 * Fits the growth per step of y over x: least squares of ln y = c + x ln g, with g = exp(slope).
 *
 * The interval is exp(slope ± t · se), with se² = Σ residual² / ((n − 2) Σ(x − mean x)²) and t the
 * quantile of Student's t with n − 2 degrees of freedom. Source: any text on regression, such as
 * Weisberg, Applied Linear Regression, 2.6 and 2.7.
 *
 * Assumption: the growth is exponential over the whole range, and the errors of ln y are
 * independent, normal and of equal variance. Real curves bend (fixed costs at small x): the
 * interval describes the straight line, and does not show that the line is straight.
 *
 * Smallest n: 3 points, with at least two different x.
 * @throws StatisticsRefusal `empty`, `not-finite`, `not-positive`, `too-few`, `no-spread`,
 * `bad-level`.
 */
export function fitGrowth(points: readonly GrowthPoint[], confidence = 0.95): Growth {
  requireLevel(confidence, 'confidence');
  const xs = points.map(({ x }) => x);
  requireFinite(xs, 'parameter value');
  requirePositive(
    points.map(({ y }) => y),
    'time',
  );
  requireLine(xs);
  const { slope, error } = fitLine(points.map(({ x, y }) => ({ x, y: Math.log(y) })));
  const reach = studentTwoSidedQuantile(confidence, points.length - 2) * error;
  return {
    perStep: Math.exp(slope),
    low: Math.exp(slope - reach),
    high: Math.exp(slope + reach),
    confidence,
    points: points.length,
  };
}

function requireLine(xs: readonly number[]): void {
  if (xs.length < 3) {
    throw new StatisticsRefusal(
      'too-few',
      `Growth was asked of ${String(xs.length)} points; it takes 3 to see how well a line fits.`,
    );
  }
  if (new Set(xs).size < 2) {
    throw new StatisticsRefusal('no-spread', 'All points have the same parameter: nothing grows.');
  }
}

/** Slope of the least-squares line, and its standard error. */
function fitLine(points: readonly GrowthPoint[]): { slope: number; error: number } {
  const centre = points.reduce((sum, { x }) => sum + x, 0) / points.length;
  // Centred first, because simple-statistics sums raw squares, which cancel for x far from 0.
  const centred = points.map(({ x, y }) => ({ x: x - centre, y }));
  const { m: slope, b } = linearRegression(centred.map(({ x, y }) => [x, y]));
  const residuals = centred.reduce((sum, { x, y }) => sum + (y - b - slope * x) ** 2, 0);
  const spread = centred.reduce((sum, { x }) => sum + x * x, 0);
  return { slope, error: Math.sqrt(residuals / (points.length - 2) / spread) };
}
