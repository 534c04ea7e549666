import { expect, test } from '@playwright/test';
import { calmIterations, segmentMean, trialValue } from './trial-value.ts';

const steadyState = {
  firstMs: 9,
  steadyAfterMs: 9,
  noisy: false,
  windowAtMs: 9,
  warmUpEndMs: [],
  segments: [],
};

test('the value of a window is its total time over its iterations', () => {
  expect(segmentMean([1, 2, 6])).toBe(3);
});

test('one preempted iteration does not decide', () => {
  expect(segmentMean([...Array<number>(30).fill(2), 50])).toBe(2);
});

test('recurring long iterations count as part of the work', () => {
  const collected = Array.from({ length: 100 }, (_, i) => (i % 10 === 0 ? 20 : 2));
  expect(segmentMean(collected)).toBeCloseTo(3.8);
  const rare = Array.from({ length: 100 }, (_, i) => (i % 25 === 0 ? 50 : 2));
  expect(segmentMean(rare)).toBeCloseTo(3.92);
});

test('sets no iteration aside if there are few', () => {
  expect(segmentMean([2, 2, 2, 50])).toBe(14);
});

test('what is measured in each iteration counts where the iteration does', () => {
  const timed = Array.from({ length: 20 }, (_, i) => (i < 12 ? 3 : 1));
  const disturbed = Array.from({ length: 10 }, (_, i) => i);
  const samples = ['duration', 'reading', 'each of two'].map((metric, i) => ({
    metric,
    unit: 'ms',
    warmUp: [],
    timed: i < 2 ? timed : [...timed, ...timed],
  }));
  const result = { samples, steadyState: { ...steadyState, disturbed } };
  expect(trialValue(result, 'reading')).toBe(1);
  expect(trialValue(result, 'each of two')).toBe(3);
});

test('only the duration of a trial that searched for its steady state is a mean', () => {
  const samples = [
    { metric: 'duration', unit: 'ms', warmUp: [], timed: [1, 2, 9] },
    { metric: 'wait', unit: 'ms', warmUp: [], timed: [1, 2, 9] },
    { metric: 'none', unit: 'ms', warmUp: [], timed: [] },
  ];
  expect(trialValue({ samples, steadyState }, 'duration')).toBe(4);
  expect(trialValue({ samples }, 'duration')).toBe(2);
  expect(trialValue({ samples, steadyState }, 'wait')).toBe(2);
  expect(trialValue({ samples, steadyState }, 'none')).toBeNull();
  expect(trialValue({ samples, steadyState }, 'other')).toBeNull();
});

function aResult(timed: readonly number[], disturbed: readonly number[]) {
  return {
    samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed }],
    steadyState: { ...steadyState, disturbed },
  };
}

test('iterations that the machine disturbed do not count', () => {
  const timed = [...Array.from({ length: 30 }, () => 1), ...Array.from({ length: 30 }, () => 1.6)];
  const disturbed = Array.from({ length: 30 }, (_, index) => 30 + index);
  const result = aResult(timed, disturbed);
  expect(trialValue(result, 'duration')).toBe(1);
  expect(calmIterations(result)).toHaveLength(30);
});

test('counts all iterations, and calls the machine slow, if hardly one was undisturbed', () => {
  const timed = Array.from({ length: 100 }, (_, index) => (index < 5 ? 1 : 2));
  const result = aResult(
    timed,
    Array.from({ length: 95 }, (_, index) => 5 + index),
  );
  expect(trialValue(result, 'duration')).toBeCloseTo(1.95, 9);
});
