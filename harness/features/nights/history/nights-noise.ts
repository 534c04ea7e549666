import { median } from 'simple-statistics';

/** The level of a series of nights, its spread, and the memory of a night for the one before. */
export interface NightsNoise {
  /** Median, in the values' own unit. */
  readonly centre: number;
  /** Robust standard deviation. */
  readonly spread: number;
  /** φ of the AR(1) process that is assumed, 0 … 0.9. */
  readonly memory: number;
}

/** 1 / Φ⁻¹(3/4): turns the median absolute deviation of normal noise into a standard deviation. */
const normalConsistency = 1.4826;

/** A value this many spreads from the centre is a spike, and counts as one at this limit. */
export const spikeLimit = 3;

/**
 * The smallest spread of ln values: 0.1 %. A coarse clock gives the same median night after night,
 * and a spread of 0 would make a step of one granule infinitely strange.
 */
const finestSpread = 0.001;

/** The largest memory that is assumed. */
export const largestMemory = 0.9;

/**
 * Estimates the noise of values that share one level, such as ln of a series' medians before a
 * change.
 *
 * centre = median; spread = 1.4826 · median |x − centre|, at least 0.001; memory = the AR(1)
 * coefficient of z = (x − centre) / spread, r = (Σ z_t z_{t−1} / pairs) / (Σ z_t² / n), over nights
 * and pairs of adjacent ones without a spike (|z| > 3), because one spike more in the sum of
 * squares hides any memory; then freed of the bias −(1 + 3φ) / n of that estimate,
 *     φ = (r + 1/n) / (1 − 3/n),   n = values / levels that were taken from them,
 * and held to 0 … 0.9: noise that seems to swing back is treated as if it had no memory, which errs
 * on the side of silence.
 *
 * Sources: Hampel (1974), JASA 69:383–393 (the median absolute deviation); Marriott & Pope (1954)
 * and Kendall (1954), Biometrika 41:390–404 (the bias). Assumption: one level, and AR(1) noise
 * besides the spikes. Smallest n: 6; fewer give the largest memory, as nothing can be known of it.
 */
export function nightsNoise(values: readonly number[], levels = 1): NightsNoise {
  const centre = median([...values]);
  const deviation = median(values.map((value) => Math.abs(value - centre)));
  const spread = Math.max(normalConsistency * deviation, finestSpread);
  return {
    centre,
    spread,
    memory: memoryOf(
      values.map((value) => (value - centre) / spread),
      levels,
    ),
  };
}

function memoryOf(distances: readonly number[], levels: number): number {
  const n = distances.length / levels;
  if (n < 6) return largestMemory;
  let [squares, nights, products, pairs] = [0, 0, 0, 0];
  let before: number | null = null;
  for (const z of distances) {
    const isSpike = Math.abs(z) > spikeLimit;
    if (!isSpike) {
      squares += z * z;
      nights += 1;
      if (before !== null) {
        products += z * before;
        pairs += 1;
      }
    }
    before = isSpike ? null : z;
  }
  // Identical values show no memory beyond their level.
  if (squares === 0 || pairs === 0) return 0;
  const seen = products / pairs / (squares / nights);
  return Math.min(largestMemory, Math.max(0, (seen + 1 / n) / (1 - 3 / n)));
}

/** Distances from the centre in spreads, limited to that of a spike. */
export function distancesOf(
  values: readonly number[],
  { centre, spread }: Pick<NightsNoise, 'centre' | 'spread'>,
): readonly number[] {
  return values.map((value) =>
    Math.min(spikeLimit, Math.max(-spikeLimit, (value - centre) / spread)),
  );
}

/**
 * The innovations of an AR(1) series: e_0 = z_0 √(1 − φ²), e_t = z_t − φ z_{t−1}. Without a change
 * these are as good as exchangeable, unlike the values themselves.
 */
export function innovationsOf(distances: readonly number[], memory: number): readonly number[] {
  return distances.map((z, index) =>
    index === 0 ? z * Math.sqrt(1 - memory ** 2) : z - memory * (distances[index - 1] ?? 0),
  );
}

/** Builds the series with these innovations: the inverse of `innovationsOf`. */
export function seriesOf(innovations: readonly number[], memory: number): readonly number[] {
  let last = 0;
  return innovations.map((innovation, index) => {
    last = index === 0 ? innovation / Math.sqrt(1 - memory ** 2) : memory * last + innovation;
    return last;
  });
}

interface MonteCarlo {
  /** The statistic of the data; larger is stranger. */
  readonly seen: number;
  /** The statistic of one draw from the null hypothesis. */
  readonly draw: () => number;
  readonly mostDraws: number;
  /** The number of draws at least as strange as the data after which p is precise enough. */
  readonly enough?: number;
}

/**
 * Returns the p-value of a statistic by sequential Monte Carlo. Draws continue until `enough` of
 * them are at least as strange as the data, p = enough / draws, or until `mostDraws`, p =
 * (exceedances + 1) / (mostDraws + 1). An ordinary statistic takes some 20 draws, and only a rare
 * one takes many. Under the null hypothesis P(p ≤ x) ≤ x at every x.
 *
 * Source: Besag & Clifford (1991), Biometrika 78:301–304. Assumption: under the null hypothesis the
 * data's statistic and the drawn ones are exchangeable.
 */
export function monteCarloP({ seen, draw, mostDraws, enough = 10 }: MonteCarlo): number {
  let exceedances = 0;
  for (let draws = 1; draws <= mostDraws; draws += 1) {
    if (draw() >= seen) exceedances += 1;
    if (exceedances === enough) return exceedances / draws;
  }
  return (exceedances + 1) / (mostDraws + 1);
}
