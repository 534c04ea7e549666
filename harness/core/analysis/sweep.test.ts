import { expect, test } from '@playwright/test';
import type { Trial } from '../model/trial.ts';
import {
  aCase,
  aCompletion,
  aJob,
  aResult,
  aThreadReading,
  aTrial,
} from '../../testing/builders.ts';
import { analyseSweep } from './sweep.ts';

const one = aCase();
const [duration] = one.benchmark.metrics;

/**
 * A trial of 2 ms in a steady state that is reached after the given time, with a thread that is
 * busy for the given time.
 */
function aTrialOf(deviceId: string, block: number, afterMs: number | null, cpuMs: number): Trial {
  const found = { firstMs: 9, noisy: false, windowAtMs: 1, warmUpEndMs: [], segments: [] };
  const result = aResult([2, 2, 2], { steadyState: { ...found, steadyAfterMs: afterMs } });
  const job = aJob({ deviceId, block, case: one });
  return aTrial(job, aCompletion({ result, readings: [aThreadReading([{ cpuMs }])] }));
}

test('a build has its median time to steady state and busy cores', () => {
  const wallMs = aThreadReading([]).wallMs;
  const { points } = analyseSweep({
    trials: [
      aTrialOf('old', 0, 100, wallMs),
      aTrialOf('new', 0, null, wallMs / 2),
      aTrialOf('old', 1, 200, 2 * wallMs),
      aTrialOf('new', 1, null, wallMs / 2),
      aTrialOf('old', 2, 600, 2 * wallMs),
    ],
    deviceIds: ['old', 'new'],
    reference: 'new',
    of: { case: one, metric: duration! },
    rules: { margin: 0.02, alpha: 0.05 },
  });
  expect(points).toMatchObject([
    { deviceId: 'old', trials: 3, steadyAfterMs: 200, coresBusy: 2 },
    { deviceId: 'new', trials: 2, steadyAfterMs: null, coresBusy: 0.5 },
  ]);
});
