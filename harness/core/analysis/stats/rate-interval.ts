import { gammaln } from 'simple-statistics';
import { requireLevel, StatisticsRefusal } from './refusal.ts';

export interface RateInterval {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  readonly confidence: number;
}

interface CountedRate {
  /** Number of events … */
  readonly count: number;
  /** … of this number of independent tries. */
  readonly of: number;
  readonly confidence?: number;
}

/**
 * Returns the exact interval of a rate, such as the false alarms among the A/A comparisons of a
 * month.
 *
 * low and high are the rates p at which P(Binomial(n, p) ≥ count) and P(Binomial(n, p) ≤ count) are
 * (1 − confidence) / 2, found by bisection. Source: Clopper & Pearson (1934), Biometrika 26:404–413.
 * Assumption: the tries are independent, their number was fixed in advance. Smallest n: 1.
 *
 * @throws StatisticsRefusal `empty` (no tries), `not-a-probability` (count outside 0 … of), `bad-level`.
 */
export function rateInterval({ count, of, confidence = 0.95 }: CountedRate): RateInterval {
  requireLevel(confidence, 'confidence');
  if (!(of >= 1)) throw new StatisticsRefusal('empty', 'A rate needs at least one try.');
  if (!Number.isInteger(of) || !Number.isInteger(count) || count < 0 || count > of) {
    throw new StatisticsRefusal(
      'not-a-probability',
      `${String(count)} of ${String(of)} is no rate: both have to be counts, the first not above the second.`,
    );
  }
  const tail = (1 - confidence) / 2;
  const high = count === of ? 1 : crossing((rate) => atMost(count, { of, rate }) > tail);
  const low = count === 0 ? 0 : 1 - crossing((rate) => atMost(of - count, { of, rate }) > tail);
  return { rate: count / of, low, high, confidence };
}

/** P(Binomial(of, rate) ≤ count), term by term in log space. */
function atMost(
  count: number,
  { of, rate }: { readonly of: number; readonly rate: number },
): number {
  const logHit = Math.log(rate);
  const logMiss = Math.log1p(-rate);
  let sum = 0;
  for (let k = 0; k <= count; k += 1) {
    const logWays = gammaln(of + 1) - gammaln(k + 1) - gammaln(of - k + 1);
    sum += Math.exp(logWays + k * logHit + (of - k) * logMiss);
  }
  return sum;
}

/** Returns the rate between 0 and 1 at which a condition that holds below it ends. */
function crossing(holds: (rate: number) => boolean): number {
  let below = 0;
  let above = 1;
  for (let step = 0; step < 60; step += 1) {
    const middle = (below + above) / 2;
    if (holds(middle)) below = middle;
    else above = middle;
  }
  return above;
}
