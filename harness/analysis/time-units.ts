import { max, min } from 'simple-statistics';
import type { TrialResult } from '../model/trial.ts';

/** Seconds in one of each unit of time; a unit that is not here is none. */
export const secondsPer: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };

/**
 * The step that the clock leaves of a trial's value, in the unit; 0 for a unit that no clock made.
 *
 * One iteration is known to the granule over k. The errors of the n iterations of a window are
 * independent as long as these differ by more than that step, so their mean is known to 1/√n of it;
 * iterations that the clock shows all alike may all err in one direction.
 */
export function resolutionOf(
  { clock, repeats, samples, steadyState }: TrialResult,
  unit: string,
): number {
  const seconds = secondsPer[unit];
  if (seconds === undefined) return 0;
  const stepMs = clock.granuleUs / repeats / 1e3;
  const timed = steadyState === undefined ? [] : (samples[0]?.timed ?? []);
  const differ = timed.length > 1 && max([...timed]) - min([...timed]) > stepMs;
  return stepMs / (differ ? Math.sqrt(timed.length) : 1) / (seconds * 1e3);
}
