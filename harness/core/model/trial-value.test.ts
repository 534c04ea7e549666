import { expect, test } from '@playwright/test';
import { calmIterations, preemptedMs, trialValue } from './trial-value.ts';

const steadyState = {
  firstMs: 9,
  steadyAfterMs: 9,
  noisy: false,
  windowAtMs: 9,
  warmUpEndMs: [],
  segments: [],
};

function aResult(timed: readonly number[], changes: object = {}) {
  return {
    repeats: 1,
    samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed }],
    steadyState: { ...steadyState, ...changes },
  };
}

const valueOf = (timed: readonly number[]) => trialValue(aResult(timed), 'duration') ?? NaN;

test('the value of a window is its total time over its iterations', () => {
  expect(valueOf([1, 2, 6])).toBe(3);
  expect(valueOf([...Array<number>(30).fill(2), 64])).toBe(4);
});

test('garbage collections count, however rare and long they are', () => {
  for (const every of [25, 100, 110]) {
    const truth = 3 + 30 / every;
    const work = (from: number, length: number) =>
      Array.from({ length }, (_, i) => ((from + i) % every === 0 ? 33 : 3));
    // A window begins anywhere between two of them.
    const windows = Array.from({ length: every }, (_, from) => valueOf(work(from, 150)));
    const seen = windows.reduce((sum, one) => sum + one, 0) / windows.length;
    expect(Math.abs(seen / truth - 1), `each ${String(every)}`).toBeLessThan(0.01);
    expect(valueOf(work(1, 10 * every))).toBeCloseTo(truth, 9);
  }
});

test('excludes from a window the time that other programs took', () => {
  const result = { ...aResult([2, 2, 2, 10], { preemptedMs: 16 }), repeats: 2 };
  expect(trialValue(result, 'duration')).toBe(2);
  expect(preemptedMs(result)).toBe(16);
  const tooMuch = aResult([2, 2], { preemptedMs: 100 });
  expect(trialValue(tooMuch, 'duration')).toBeCloseTo(0.1, 9);
});

test('iterations that the machine disturbed do not count, nor what others took of them', () => {
  const timed = [...Array.from({ length: 30 }, () => 1), ...Array.from({ length: 30 }, () => 2)];
  const disturbed = Array.from({ length: 30 }, (_, index) => 30 + index);
  const result = aResult(timed, { disturbed, preemptedMs: 9 });
  expect(calmIterations(result)).toHaveLength(30);
  // A third of the time is theirs.
  expect(preemptedMs(result)).toBeCloseTo(3, 9);
  expect(trialValue(result, 'duration')).toBeCloseTo(0.9, 9);
});

test('counts all iterations, and calls the machine slow, if hardly one was undisturbed', () => {
  const timed = Array.from({ length: 100 }, (_, index) => (index < 5 ? 1 : 2));
  const disturbed = Array.from({ length: 95 }, (_, index) => 5 + index);
  expect(trialValue(aResult(timed, { disturbed }), 'duration')).toBeCloseTo(1.95, 9);
});

test('a measure of an iteration counts where the iteration does', () => {
  const timed = Array.from({ length: 20 }, (_, i) => (i < 12 ? 3 : 1));
  const disturbed = Array.from({ length: 10 }, (_, i) => i);
  const samples = ['duration', 'reading', 'each of two'].map((metric, i) => ({
    metric,
    unit: 'ms',
    warmUp: [],
    timed: i < 2 ? timed : [...timed, ...timed],
  }));
  const result = { repeats: 1, samples, steadyState: { ...steadyState, disturbed } };
  expect(trialValue(result, 'reading')).toBe(1);
  expect(trialValue(result, 'each of two')).toBe(3);
});

test("only a steady-state trial's duration is a mean", () => {
  const samples = [
    { metric: 'duration', unit: 'ms', warmUp: [], timed: [1, 2, 9] },
    { metric: 'wait', unit: 'ms', warmUp: [], timed: [1, 2, 9] },
    { metric: 'none', unit: 'ms', warmUp: [], timed: [] },
  ];
  const result = { repeats: 1, samples };
  expect(trialValue({ ...result, steadyState }, 'duration')).toBe(4);
  expect(trialValue(result, 'duration')).toBe(2);
  expect(trialValue({ ...result, steadyState }, 'wait')).toBe(2);
  expect(trialValue({ ...result, steadyState }, 'none')).toBeNull();
  expect(trialValue({ ...result, steadyState }, 'other')).toBeNull();
});
