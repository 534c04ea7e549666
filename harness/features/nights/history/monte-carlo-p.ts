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
