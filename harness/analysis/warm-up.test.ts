import { test, expect } from '@playwright/test';
import { judged, judgeSteadiness, tolerance } from '../../pages/kit/steadiness.js';
import { aCase, aFoundDevice, aJob, aRecord, aResult, aTrial } from '../testing/builders.ts';
import type { Steadiness } from '../../pages/protocol.d.ts';
import type { Outcome } from '../model/trial.ts';
import { explainWarmUp, steadinessRule, type WarmUpChoice } from './warm-up.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

function aWarmUp(
  block: number,
  steadiness: Steadiness,
  { deviceId = 'one', n = 12, warmUp = [9, 3, 2, 2, 2, 2, 2] } = {},
) {
  const samples = [{ metric: 'duration', unit: 'ms', warmUp, timed: [2, 2] }];
  const trial = aTrial(aJob({ block, deviceId, case: aCase(n) }), [2]);
  const result = aResult([], { steadiness, samples, repeats: 10 });
  return { ...trial, outcome: { ...trial.outcome, result } as Outcome };
}

function explain(trials: ReturnType<typeof aWarmUp>[], choice: WarmUpChoice = {}) {
  const record = aRecord([aFoundDevice('one'), aFoundDevice('two')], trials);
  return explainWarmUp(record, { choice, ...writing });
}

test('the rule is the one of the pages', () => {
  expect(steadinessRule).toEqual({ judged, tolerance });
});

test('without a choice the least steady trial is explained', () => {
  const trials = [
    aWarmUp(0, 'steady'),
    aWarmUp(1, 'slowing'),
    aWarmUp(2, 'no steady state'),
    aWarmUp(3, 'no steady state', { warmUp: [9, 9, 9, 2, 2, 2] }),
  ];
  expect(explain(trials)).toMatchObject({
    block: 3,
    steadiness: 'no steady state',
    chosen: 'the least steady of 4 completed trials',
  });
});

test('a choice of case, target and block is kept', () => {
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
    chosen: 'the only completed trial that was asked for',
  });
  expect(explain(trials, { caseName: 'fib' })?.block).toBe(0);
  expect(explain(trials, { caseName: 'fib function=asyncFib n=1' })).toBeNull();
});

test('what the rule looked at is told as the rule sees it', () => {
  const warmUp = [50, 10, 10, 10, 12, 13, 14];
  const facts = explain([aWarmUp(0, judgeSteadiness(warmUp), { warmUp })]);
  expect(facts?.steadiness).toBe('slowing');
  expect(facts).toMatchObject({ repeats: 10, granuleUs: 5, resolution: 0.0005, warmUp });
  expect(facts?.judged).toMatchObject({ iterations: 6, older: 10, newer: 13, tolerance: 0.05 });
  expect(facts?.judged?.change).toBeCloseTo(0.3);
  expect(facts?.judged?.trend).toBeCloseTo(12 / 15);
});

test('with fewer than six iterations the rule had nothing to look at', () => {
  expect(explain([aWarmUp(0, 'no steady state', { warmUp: [1, 1] })])?.judged).toBeNull();
});

test('a run without a completed trial has no warm-up to explain', () => {
  expect(explain([])).toBeNull();
});
