import type { ChosenWindow } from '../analysis/chosen-window.ts';
import type { MeasurementRules } from '../model/case.ts';
import { roundOf, type Job, type Plan } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import type { RunListener } from '../run/listener.ts';

export interface LaterRounds {
  /** The window of later rounds, from the trials of the first; null where it stays. */
  readonly window?: (trials: readonly Trial[]) => ChosenWindow | null;
  readonly listener: RunListener;
}

/**
 * How the trial of each job is measured: in the first round as the plan says, and later with the
 * window that the trials of the first call for. It is chosen when the first trial of a later round
 * begins, because rounds come one after the other: `sofar` then has all of the first, those that a
 * run had before it was gone on with among them.
 * @param sofar all trials of the run, growing
 */
export function measurementOf(
  plan: Plan,
  sofar: readonly Trial[],
  { window, listener }: LaterRounds,
): (job: Job) => MeasurementRules {
  const { measurement } = plan;
  let later: MeasurementRules | null = null;
  const choose = (): MeasurementRules => {
    const chosen = window?.(sofar) ?? null;
    if (chosen === null || !('window' in measurement)) return measurement;
    listener.onWindowChosen?.(chosen);
    return { ...measurement, window: { ...measurement.window, ms: chosen.thenMs } };
  };
  return ({ block }) => {
    if (roundOf(plan, block) === 0) return measurement;
    later ??= choose();
    return later;
  };
}
