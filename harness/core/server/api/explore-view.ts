import { z } from 'zod';
import type { HistoryFilter } from '../../model/history.ts';
import { historyFilter } from './parameters.ts';

/** The view of Explore: series of one benchmark, and the way of drawing them. */
export interface ExploreView {
  /** One run of all cases, or all runs of one case. */
  readonly filter: HistoryFilter & { readonly benchmark: string };
  readonly statistic: 'median' | 'mean' | 'minimum';
  /** Curves of the mean over browsers of a family, or over all; empty: one for each device. */
  readonly average: '' | 'family' | 'all';
  /** All curves in one panel. */
  readonly together: boolean;
  readonly scale: 'log' | 'linear';
  /** The largest value of the parameter that grows; null for all. */
  readonly largest: number | null;
  /** Chosen values of other parameters, by name. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** Room on the page, in pixels. */
  readonly width: number;
}

/** Of benchmark parameters in the address, so that none is taken for a filter. */
const parameterPrefix = 'p.';

const { benchmark, ...otherFilters } = historyFilter;

/** Its address; usual values are left out. */
export const viewQuery = z
  .object({
    ...otherFilters,
    benchmark: benchmark.unwrap(),
    statistic: z.enum(['median', 'mean', 'minimum']).default('median'),
    average: z.enum(['', 'family', 'all']).default(''),
    together: z.literal('yes').optional(),
    scale: z.enum(['log', 'linear']).default('log'),
    largest: z
      .string()
      .regex(/^\d{1,9}$/, 'it must be a whole number')
      .optional(),
    width: z
      .string()
      .regex(/^\d{1,5}$/, 'it must be a whole number')
      .default('420'),
  })
  .catchall(z.string().max(300, 'it is too long'));

export function viewOf(query: z.infer<typeof viewQuery>): ExploreView {
  const { statistic, average, together, scale, largest, width, ...others } = query;
  const { benchmark: one, run, case: caseName, metric, device, browser, ...more } = others;
  const { family, os, cores, driver, version, ...parameters } = more;
  const places = { device, browser, family, os, cores, driver, version };
  return {
    filter: { benchmark: one, run, case: caseName, metric, ...places },
    statistic,
    average,
    together: together === 'yes',
    scale,
    largest: largest === undefined ? null : Number(largest),
    parameters: Object.fromEntries(
      Object.entries(parameters)
        .filter(([key, value]) => key.startsWith(parameterPrefix) && value !== '')
        .map(([key, value]) => [key.slice(parameterPrefix.length), value.split(',')]),
    ),
    width: Number(width),
  };
}
