import { expect, test } from '@playwright/test';
import type { Job } from '../model/plan.ts';
import type { Trial } from '../model/trial.ts';
import {
  aBenchmark,
  aCase,
  aJob,
  aSearchedTrial,
  aTrial,
  type SearchedTrial,
} from '../../testing/builders.ts';
import { chooseWindow, usedWindow } from './chosen-window.ts';
import type { Pair } from './pairs.ts';
import { seededGenerator } from './stats/random.ts';

const plan = {
  firstRound: 5,
  measurement: {
    minGranules: 100,
    settled: { ms: 250, calls: 120 },
    maxMs: 5_000,
    window: { ms: 300, iterations: 5 },
  },
};
const sides = ['a', 'b'];
const pair: Pair = {
  a: { deviceId: 'a', case: aCase() },
  b: { deviceId: 'b', case: aCase() },
  metric: aBenchmark.metrics[0]!,
};

function jobsOf(blocks: readonly number[]): readonly Job[] {
  return blocks.flatMap((block) =>
    sides.map((deviceId, i) => aJob({ block, deviceId, ordinal: 2 * block + i })),
  );
}

type Spread = Pick<SearchedTrial, 'sessions' | 'stretches' | 'windowMs'>;

function round(of: Spread, { blocks = [0, 1, 2, 3, 4], seed = 1, b = of } = {}): readonly Trial[] {
  const generator = seededGenerator(seed);
  return jobsOf(blocks).map((job) =>
    aSearchedTrial(job, { ...(job.deviceId === 'a' ? of : b), generator }),
  );
}

const wandering = { sessions: 0.01, stretches: 0.1 };

test('times both sides for longer if the speed wanders inside sessions', () => {
  const chosen = Array.from({ length: 21 }, (_, seed) => {
    const { firstMs, thenMs } = chooseWindow(plan, pair, round(wandering, { seed }))!;
    expect(firstMs).toBe(300);
    return thenMs;
  }).toSorted((one, other) => one - other);
  // The formula gives 4.2 s for these parameters, which ten trials estimate roughly.
  expect(chosen[0]).toBeGreaterThanOrEqual(600);
  expect(chosen[10]).toBeGreaterThanOrEqual(1_000);
  expect(chosen[20]).toBe(2_400);
});

test('grows at most to eight times its length and to half of maxMs', () => {
  const alike = round({ stretches: 0.2 }, { seed: 4 });
  const thenMs = (maxMs: number) =>
    chooseWindow({ ...plan, measurement: { ...plan.measurement, maxMs } }, pair, alike)?.thenMs;
  expect(thenMs(5_000)).toBe(2_400);
  expect(thenMs(60_000)).toBe(2_400);
  expect(thenMs(3_000)).toBe(1_500);
  // Twice as long is the least that is worth while.
  expect(thenMs(1_000)).toBeUndefined();
});

for (const [what, trials] of [
  ['sessions differ more than any window averages', round({ sessions: 0.1, stretches: 0.02 })],
  ['blocks hardly spread, as those of control', round({ sessions: 0.001, stretches: 0.005 })],
  [
    'one side is alike in all sessions, and the other decides',
    round({ stretches: 0.02 }, { b: { sessions: 0.2, stretches: 0.02 } }),
  ],
  ['too few trials of the first round count', round(wandering, { blocks: [0, 1, 2, 5, 6, 7] })],
  ['windows are long already', round({ ...wandering, windowMs: 1_500 })],
  ['nobody searched for a steady state', jobsOf([0, 1, 2, 3, 4]).map((job) => aTrial(job, [5, 9]))],
] as const) {
  test(`keeps the window if ${what}`, () => {
    expect(chooseWindow(plan, pair, trials)).toBeNull();
  });
}

test('keeps the window with older rules, without first round, for other metrics', () => {
  const trials = round(wandering);
  const warmUp = { minIterations: 3, maxIterations: 9, maxMs: 100 };
  const former = { iterations: 9, maxTimedMs: 300, minIterations: 5, minGranules: 100, warmUp };
  expect(chooseWindow({ ...plan, measurement: former }, pair, trials)).toBeNull();
  expect(chooseWindow({ measurement: plan.measurement }, pair, trials)).toBeNull();
  const metric = { ...pair.metric, id: 'bytes' };
  expect(chooseWindow(plan, { ...pair, metric }, trials)).toBeNull();
});

test('uses only trials of the first round that count, in any order', () => {
  const first = round(wandering);
  const chosen = chooseWindow(plan, pair, first);
  const later = round({ sessions: 0.5 }, { blocks: [5, 6, 7], seed: 2 });
  expect(chooseWindow(plan, pair, [...later, ...first.toReversed()])?.thenMs).toBe(chosen?.thenMs);
  const spoilt = round({ sessions: 0.5 }, { blocks: [0, 1], seed: 3 }).map((trial) => ({
    ...trial,
    outcome: { ...trial.outcome, quarantine: ['other programs used 90 % of the CPU'] },
  })) as readonly Trial[];
  expect(chooseWindow(plan, pair, [...spoilt, ...first])).toEqual(chosen);
});

test('reports no change if later rounds kept the window of the first', () => {
  const first = round(wandering);
  const { thenMs } = chooseWindow(plan, pair, first)!;
  const laterOf = (windowMs: number) => round({ windowMs }, { blocks: [5, 6] });
  expect(usedWindow(plan, pair, first)).toBeNull();
  expect(usedWindow(plan, pair, [...first, ...laterOf(300)])).toBeNull();
  expect(usedWindow(plan, pair, [...first, ...laterOf(2 * thenMs)])).toEqual({
    firstMs: 300,
    thenMs,
  });
});
