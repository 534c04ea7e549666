import { gammaln } from 'simple-statistics';
import { StatisticsRefusal } from './refusal.ts';

/**
 * Two-sided p-value of Student's t: P(|T| ≥ |t|) = I_x(ν/2, 1/2) with x = ν / (ν + t²).
 * Source: DLMF 8.17; Abramowitz & Stegun 26.7.1. Degrees of freedom need not be an integer (Welch).
 */
export function studentTwoSidedP(t: number, degrees: number): number {
  requireDegrees(degrees);
  if (t === 0) return 1;
  const square = t * t;
  return incompleteBeta(degrees / (degrees + square), square / (degrees + square), degrees / 2);
}

/**
 * Finds the quantile t with P(|T| ≤ t) = `coverage`, by bisection of `studentTwoSidedP` to the last
 * digit.
 * @throws StatisticsRefusal `bad-level`, `too-few` (degrees of freedom must be above 0).
 */
export function studentTwoSidedQuantile(coverage: number, degrees: number): number {
  requireDegrees(degrees);
  if (!(coverage > 0 && coverage < 1)) {
    throw new StatisticsRefusal('bad-level', `A coverage of ${String(coverage)} has no quantile.`);
  }
  const tail = 1 - coverage;
  let high = 1;
  while (studentTwoSidedP(high, degrees) > tail) high *= 2;
  let low = 0;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return high;
    if (studentTwoSidedP(middle, degrees) > tail) low = middle;
    else high = middle;
  }
}

function requireDegrees(degrees: number): void {
  if (!(degrees > 0)) {
    throw new StatisticsRefusal(
      'too-few',
      `Student's t has ${String(degrees)} degrees of freedom; it needs more than 0.`,
    );
  }
}

/**
 * I_x(a, 1/2), the regularised incomplete beta function, with y = 1 − x given apart so that it
 * keeps its digits when x is near 1. Source: DLMF 8.17.22 (continued fraction), 8.17.4 (symmetry).
 */
function incompleteBeta(x: number, y: number, a: number): number {
  const b = 0.5;
  const front = Math.exp(logBeta(a) + a * logOf(x, y) + b * logOf(y, x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(y, b, a)) / b;
}

/** ln x, where 1 − x is known to more digits than x when x is near 1. */
function logOf(x: number, complement: number): number {
  return x > 0.5 ? Math.log1p(-complement) : Math.log(x);
}

/** −ln B(a, 1/2). */
function logBeta(a: number): number {
  return gammaln(a + 0.5) - gammaln(a) - Math.log(Math.PI) / 2;
}

/** The continued fraction of DLMF 8.17.22, by Lentz's method (Thompson & Barnett 1986). */
function betaFraction(x: number, a: number, b: number): number {
  const floor = 1e-300;
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1), floor);
  let value = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    const before = value;
    for (const term of [even, odd]) {
      d = 1 / away(1 + term * d, floor);
      c = away(1 + term / c, floor);
      value *= d * c;
    }
    if (Math.abs(value - before) <= 1e-16 * Math.abs(value)) return value;
  }
  return value;
}

function away(x: number, floor: number): number {
  return Math.abs(x) < floor ? floor : x;
}
