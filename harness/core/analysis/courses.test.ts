import { expect, test } from '@playwright/test';
import type { Outcome, Trial, TrialResult } from '../model/trial.ts';
import { aFoundDevice, aJob, aRecord, aResult, aTrial } from '../../testing/builders.ts';
import { describeRun } from './findings.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

/** A trial whose iterations take this long, after three slower ones. */
function searched(block: number, timed: readonly number[]): Trial {
  const steadyState = {
    firstMs: 9,
    steadyAfterMs: 14,
    noisy: false,
    windowAtMs: 14,
    warmUpEndMs: [9, 12, 14],
    segments: [{ fromMs: 0, toMs: 20, level: 2 }],
  };
  const samples = [{ metric: 'duration', unit: 'ms', warmUp: [9, 3, 2], timed }];
  const result: TrialResult = aResult([], { steadiness: 'warm-up', samples, steadyState });
  const trial = aTrial(aJob({ block, deviceId: 'one' }), [1]);
  return { ...trial, outcome: { ...trial.outcome, result } as Outcome };
}

const coursesOf = (trials: readonly Trial[]) =>
  describeRun(aRecord([aFoundDevice('one')], trials), writing).courses;

test('takes the course of the trial whose value is nearest the median', () => {
  const trials = [searched(0, [8, 8]), searched(1, [2, 2]), searched(2, [1, 1])];
  expect(coursesOf(trials)).toMatchObject([
    {
      targetId: 'one',
      block: 1,
      unit: 'ms',
      firstMs: 9,
      windowAtMs: 14,
      segments: [{ fromMs: 0, toMs: 20, level: 2 }],
      points: [
        [9, 9],
        [12, 3],
        [14, 2],
        [expect.any(Number), 2],
        [expect.any(Number), 2],
      ],
    },
  ]);
});

test('groups adjacent ones of thousands of iterations and keeps the last last', () => {
  const [course] = coursesOf([
    searched(
      0,
      Array.from({ length: 5_000 }, (_, i) => 1 + (i % 2)),
    ),
  ])!;
  expect(course!.points.length).toBeLessThanOrEqual(60);
  const ends = course!.points.map(([endMs]) => endMs);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
});

test('trials from before speeds were searched have none', () => {
  expect(coursesOf([aTrial(aJob({ deviceId: 'one' }), [1, 2])])).toEqual([]);
});
