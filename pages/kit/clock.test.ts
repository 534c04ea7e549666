import { test, expect } from '@playwright/test';
import { measureGranule } from './clock.js';

/** A clock that shows multiples of its granule and needs `readMs` for each reading. */
function aClock({ granuleMs, readMs }: { granuleMs: number; readMs: number }) {
  const state = { time: 1234.5678, reads: 0 };
  return {
    state,
    now: () => {
      state.time += readMs;
      state.reads += 1;
      return Math.floor(state.time / granuleMs) * granuleMs;
    },
  };
}

for (const granuleMs of [0.005, 0.02, 0.1, 1, 16.67, 100]) {
  test(`finds a granule of ${String(granuleMs)} ms`, () => {
    const { now } = aClock({ granuleMs, readMs: 0.0007 });
    expect(measureGranule(now)).toBeCloseTo(granuleMs, 6);
  });
}

test('spends 100 ms on a clock of 1 ms, three coarse steps', () => {
  const millisecond = aClock({ granuleMs: 1, readMs: 0.001 });
  measureGranule(millisecond.now);
  expect(millisecond.state.time - 1234.5678).toBeCloseTo(100, -1);

  const coarse = aClock({ granuleMs: 100, readMs: 0.001 });
  measureGranule(coarse.now);
  expect(coarse.state.time - 1234.5678).toBeLessThan(400);
});

test('ends after 400 steps of a fine clock', () => {
  const fine = aClock({ granuleMs: 0.001, readMs: 0.001 });
  measureGranule(fine.now);
  expect(fine.state.reads).toBeLessThan(500);
});

test('takes the smallest step that repeats, not a single short one', () => {
  const steps = [1, 1, 0.25, 1, 2, 1];
  let time = 0;
  let index = 0;
  const now = () => (time += steps[index++] ?? 100);
  expect(measureGranule(now)).toBe(1);
});

test('does not take rounding for a step', () => {
  let reads = 0;
  const now = () => Math.floor(reads++ / 10) * 5 + (reads % 2) * 1e-10;
  expect(measureGranule(now)).toBe(5);
});

test('refuses a clock that stands still', () => {
  expect(() => measureGranule(() => 7)).toThrow('stands still');
});

test('finds a granule of the clock of this process', () => {
  const granule = measureGranule(() => performance.now());
  expect(granule).toBeGreaterThan(0);
  expect(granule).toBeLessThan(1);
});
