import { expect, test } from '@playwright/test';
import type { Trial } from '../model/trial.ts';
import { aCase, aCompletion, aJob, aResult, aTrial } from '../testing/builders.ts';
import { MachineSpeeds } from './quarantine.ts';

/** A trial whose reference work took so long a round; all of its window may have been slow. */
function aTrialAt(roundNs: number, changes: Partial<Trial['job']> = {}, disturbed = 0): Trial {
  const timed = Array.from({ length: 20 }, () => 1);
  const steadyState = {
    firstMs: 1,
    steadyAfterMs: 1,
    noisy: false,
    disturbed: timed.slice(0, disturbed).map((_, i) => i),
    // While the window was slow, a round took twice as long.
    reference: { windowMs: 2e-3 * roundNs, rounds: 1000, roundNs },
    windowAtMs: 1,
    warmUpEndMs: [],
    segments: [],
  };
  return aTrial(aJob(changes), aCompletion({ result: aResult(timed, { steadyState }) }));
}

const quarantined = (speeds: MachineSpeeds, ...trials: readonly Trial[]): readonly boolean[] =>
  trials
    .map((trial) => speeds.judge(trial).outcome)
    .map((outcome) => outcome.kind === 'completed' && outcome.quarantine.length > 0);

test('quarantines a trial in which the machine was slower than in an earlier one', () => {
  const trials = [1, 1.1, 1.5, 0.9, 1.1].map((roundNs) => aTrialAt(roundNs));
  expect(quarantined(new MachineSpeeds(), ...trials)).toEqual([false, false, true, false, true]);
  const speeds = new MachineSpeeds();
  speeds.judge(aTrialAt(1));
  expect(speeds.judge(aTrialAt(1.5)).outcome).toMatchObject({
    quarantine: [expect.stringMatching(/1\.50 times/)],
  });
});

test('a window that was slow almost throughout is judged by the speed that it had', () => {
  expect(quarantined(new MachineSpeeds(), aTrialAt(1), aTrialAt(1, {}, 19))).toEqual([false, true]);
  expect(quarantined(new MachineSpeeds(), aTrialAt(1), aTrialAt(1, {}, 10))).toEqual([
    false,
    false,
  ]);
});

test('a machine that stays slow is the machine that there is', () => {
  const trials = [1, 2, 2, 2, 2, 2.1, 1, 2].map((roundNs) => aTrialAt(roundNs));
  expect(quarantined(new MachineSpeeds(), ...trials)).toEqual([
    ...[false, true, true, true, false, false, false, true],
  ]);
});

test('devices and cases are judged apart, and trials without the reference work not at all', () => {
  const speeds = new MachineSpeeds();
  const trials = [aTrialAt(1), aTrialAt(3, { deviceId: 'two' }), aTrialAt(3, { case: aCase(2) })];
  expect(quarantined(speeds, ...trials)).toEqual([false, false, false]);
  const without = aTrial(aJob(), aCompletion());
  expect(speeds.judge(without)).toBe(without);
});
