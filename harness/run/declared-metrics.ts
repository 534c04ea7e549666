import type { Metric } from '../model/case.ts';
import type { TrialResult } from '../model/trial.ts';

/**
 * A result must hold every declared metric in its unit, optional ones aside, and no other; else what
 * is wrong.
 */
export function undeclared(
  { samples }: Pick<TrialResult, 'samples'>,
  metrics: readonly Metric[],
): string | null {
  const named = ({ id, unit }: Pick<Metric, 'id' | 'unit'>): string => `${id} in ${unit}`;
  const declared = new Set(metrics.map(named));
  const posted = new Set(samples.map(({ metric, unit }) => named({ id: metric, unit })));
  const needed = metrics.filter(({ optional = false }) => !optional).map(named);
  const known = [...posted].every((one) => declared.has(one));
  if (known && needed.every((one) => posted.has(one))) return null;
  return `the page posted ${[...posted].join(', ') || 'no metric'}; its benchmark.json declares ${[...declared].join(', ')}`;
}
