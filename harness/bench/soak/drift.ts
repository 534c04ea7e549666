import { fitGrowth } from '../../analysis/stats/growth.ts';

export interface Drift {
  /** Share by which it grows from one run to the next, with its 95 % interval. */
  readonly perRun: number;
  readonly low: number;
  readonly high: number;
  /** The same over all runs that were looked at, by the upper end of the interval. */
  readonly atMost: number;
  readonly verdict: 'flat' | 'grows' | 'not known';
}

/** A growth that is shown to be smaller than this, over the whole soak, is none. */
export const flatShare = 0.1;

/**
 * How a quantity drifts from run to run: least squares of its logarithm (`fitGrowth`). Flat: even the
 * upper end of the interval makes less than 10 % of it over all runs. Grows: even the lower end makes
 * more than nothing, and the upper one does not stay below that. The errors of neighbouring runs are
 * taken for independent, which makes the interval a little too narrow where a heap swings slowly.
 *
 * @returns null for fewer than 3 values, or where one is not above 0.
 */
export function driftOf(values: readonly number[]): Drift | null {
  if (values.length < 3 || values.some((value) => !(value > 0))) return null;
  const growth = fitGrowth(values.map((y, x) => ({ x, y })));
  const [perRun, low, high] = [growth.perStep, growth.low, growth.high].map((one) => one - 1);
  if (perRun === undefined || low === undefined || high === undefined) return null;
  const atMost = growth.high ** (values.length - 1) - 1;
  const verdict = atMost < flatShare ? 'flat' : low > 0 ? 'grows' : 'not known';
  return { perRun, low, high, atMost, verdict };
}
