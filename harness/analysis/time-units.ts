import type { TrialResult } from '../model/trial.ts';

/** Seconds in one of each unit of time; a unit that is not here is none. */
export const secondsPer: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };

/** The step that clock and repeats leave of an iteration, in the unit; 0 for a unit that no clock made. */
export function resolutionOf({ clock, repeats }: TrialResult, unit: string): number {
  const seconds = secondsPer[unit];
  return seconds === undefined ? 0 : clock.granuleUs / repeats / (seconds * 1e6);
}
