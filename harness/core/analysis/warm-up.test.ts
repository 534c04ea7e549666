import { expect, test } from '@playwright/test';
import { aCase, aFoundDevice, aJob, aRecord, aResult, aTrial } from '../../testing/builders.ts';
import type { FormerSteadiness, Steadiness, SteadyState } from '../../../pages/protocol.d.ts';
import type { Outcome, TrialResult } from '../model/trial.ts';
import { explainWarmUp, type WarmUpChoice } from './warm-up.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

/** Segments of these levels, of 100 ms each. */
function aSteadyState(levels: readonly number[], changes: Partial<SteadyState> = {}): SteadyState {
  return {
    firstMs: 9,
    steadyAfterMs: 100 * (levels.length - 1),
    noisy: false,
    windowAtMs: 200,
    warmUpEndMs: [9, 150, 200],
    segments: levels.map((level, i) => ({ fromMs: 100 * i, toMs: 100 * (i + 1), level })),
    ...changes,
  };
}

interface TrialOptions {
  readonly deviceId?: string;
  readonly n?: number;
  readonly timed?: readonly number[];
  readonly steadyState?: SteadyState;
}

function aWarmUp(
  block: number,
  steadiness: Steadiness | FormerSteadiness,
  { deviceId = 'one', n = 12, timed = [2, 2], steadyState }: TrialOptions = {},
) {
  const samples = [{ metric: 'duration', unit: 'ms', warmUp: [9, 3, 2], timed }];
  const trial = aTrial(aJob({ block, deviceId, case: aCase(n) }), [2]);
  const own: Partial<TrialResult> = { steadiness, samples, repeats: 10 };
  const result = aResult([], steadyState === undefined ? own : { ...own, steadyState });
  return { ...trial, outcome: { ...trial.outcome, result } as Outcome };
}

function explain(trials: ReturnType<typeof aWarmUp>[], choice: WarmUpChoice = {}) {
  const record = aRecord([aFoundDevice('one'), aFoundDevice('two')], trials);
  return explainWarmUp(record, { choice, ...writing });
}

test('explains the least steady trial without a choice: by class, then noise, then change', () => {
  const trials = [
    aWarmUp(0, 'flat', { steadyState: aSteadyState([2]) }),
    aWarmUp(1, 'warm-up', { steadyState: aSteadyState([4, 2]) }),
    aWarmUp(2, 'warm-up', { steadyState: aSteadyState([9, 2]) }),
    aWarmUp(3, 'flat', { steadyState: aSteadyState([2], { noisy: true }) }),
    aWarmUp(4, 'slowdown', { steadyState: aSteadyState([1, 2]) }),
    aWarmUp(5, 'no steady state', { steadyState: aSteadyState([3, 2]) }),
    aWarmUp(6, 'no steady state', { steadyState: aSteadyState([5, 2]) }),
  ];
  const order = trials.map((_, i) => explain(trials.slice(0, trials.length - i))?.block);
  expect(order).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect(explain(trials)?.chosen).toContain('least steady of 7');
});

test('follows a choice of case, target and block', () => {
  const trials = [
    aWarmUp(0, 'no steady state'),
    aWarmUp(0, 'steady', { deviceId: 'two', n: 13 }),
    aWarmUp(1, 'slowing', { deviceId: 'two', n: 13 }),
  ];
  const choice = { caseName: 'fib function=asyncFib n=13', targetId: 'two', block: 0 };
  expect(explain(trials, choice)).toMatchObject({
    caseName: choice.caseName,
    target: { id: 'two', browser: 'chromium 1.2.3' },
    block: 0,
    chosen: expect.stringContaining('only completed'),
  });
  expect(explain(trials, { caseName: 'fib' })?.block).toBe(0);
  expect(explain(trials, { caseName: 'fib function=asyncFib n=1' })).toBeNull();
});

test('places the timed iterations after the beginning of the window, k operations each', () => {
  const facts = explain([aWarmUp(0, 'warm-up', { steadyState: aSteadyState([9, 2]) })]);
  expect(facts?.course).toMatchObject({ endMs: [9, 150, 200, 220, 240], windowAtMs: 200 });
  expect(facts).toMatchObject({ repeats: 10, granuleUs: 5, resolution: 0.0005 });
});

test('the value is the mean over the window, less what others had of it', () => {
  const timed = [...Array<number>(29).fill(2), 3, 90];
  const facts = explain([
    aWarmUp(0, 'flat', { timed, steadyState: { ...aSteadyState([2]), preemptedMs: 310 } }),
  ]);
  expect(facts?.value).toMatchObject({ kind: 'mean', median: 2, preemptedMs: 310 });
  // Ten operations in each of 31 iterations.
  expect(facts?.value.value).toBeCloseTo((151 - 31) / 31);
});

test('an older trial has no course, and its value is its median', () => {
  const facts = explain([aWarmUp(0, 'steady', { timed: [1, 2, 9] })]);
  expect(facts).toMatchObject({ steadiness: 'steady', course: null });
  expect(facts?.value).toMatchObject({ kind: 'median', value: 2, median: 2, preemptedMs: 0 });
});

test('explains nothing without a completed trial', () => {
  expect(explain([])).toBeNull();
});
