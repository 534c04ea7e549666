import { cumulativeStdNormalProbability, probit } from 'simple-statistics';

/** A step in noise of which everything is known: level, spread, memory, and the night of the step. */
export interface KnownStep {
  /** Size of the step in spreads of the noise. */
  readonly size: number;
  /** φ of AR(1). */
  readonly memory: number;
  /** Nights since the step. */
  readonly nights: number;
  /** Error rate of the test, both sides together. */
  readonly alpha: number;
}

/**
 * The power that no test of these nights can exceed, where the noise is normal and there are no spikes: that
 * of the likelihood ratio (Neyman & Pearson). A step of size δ adds δ to the first innovation, whose
 * standard deviation is √(1 − φ²), and (1 − φ) δ to each later one, so the nights together see it with
 *     z = δ √((1 + (n − 1)(1 − φ)²) / (1 − φ²)),   power = Φ(z − z_{1 − α/2}).
 */
export function mostPower({ size, memory, nights, alpha }: KnownStep): number {
  const information = (1 + (nights - 1) * (1 - memory) ** 2) / (1 - memory ** 2);
  return cumulativeStdNormalProbability(size * Math.sqrt(information) - probit(1 - alpha / 2));
}
