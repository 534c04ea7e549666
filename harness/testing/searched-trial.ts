import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import type { SeededGenerator } from '../analysis/stats/random.ts';
import { aCompletion, aResult, aTrial } from './builders.ts';

/** Standard deviations of the logarithms, and the window of a simulated trial. */
export interface SearchedTrial {
  readonly sessions?: number;
  readonly stretches?: number;
  readonly windowMs?: number;
  readonly generator: SeededGenerator;
}

const stretchMs = 60;
const perStretch = 12;

/** A trial with a steady state of calls of about 5 ms, whose speed wanders every 60 ms. */
export function aSearchedTrial(
  job: Job,
  { sessions = 0, stretches = 0, windowMs = 300, generator }: SearchedTrial,
): Trial {
  const session = sessions * generator.normal();
  const timed = Array.from({ length: Math.round(windowMs / stretchMs) }, () => {
    const level = 5 * Math.exp(session + stretches * generator.normal());
    return Array.from({ length: perStretch }, () => level * Math.exp(0.001 * generator.normal()));
  }).flat();
  const steadyState = {
    ...{ firstMs: 10, steadyAfterMs: 100, noisy: false, windowAtMs: 100, warmUpEndMs: [] },
    segments: [],
  };
  const result = aResult(timed, { steadiness: 'warm-up', steadyState });
  return { ...aTrial(job, aCompletion({ result })), wallMs: 3_000 + windowMs };
}
