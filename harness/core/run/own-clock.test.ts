import { expect, test } from '@playwright/test';
import { aResult } from '../../testing/builders.ts';
import { accountFor, clockLimits, judgeGap, OwnClock } from './own-clock.ts';

const window = (windowMs: number) => ({ windowMs, gapMs: 0 });
const kindOf = (timed: readonly number[], windowMs: number, repeats = 1): string =>
  accountFor(aResult(timed, { repeats }), window(windowMs)).kind;

test('iterations that fill the window agree with repeats and reference work', () => {
  expect(kindOf([100, 200, 200], 510)).toBe('agrees');
  expect(kindOf([0.1, 0.2, 0.2], 510, 1000)).toBe('agrees');
  const steadyState = {
    firstMs: 1,
    steadyAfterMs: 1,
    noisy: false,
    windowAtMs: 1,
    warmUpEndMs: [],
    segments: [],
    reference: { windowMs: 1_500, roundNs: 1 },
  };
  expect(accountFor(aResult([500], { steadyState }), window(2_005)).kind).toBe('agrees');
  expect(accountFor(aResult([500], { steadyState }), window(1_005)).kind).toBe('impossible');
});

test('a self-timed call fills the window and cannot have recorded more', () => {
  expect(accountFor(aResult([0.1], { callMs: 680 }), window(700)).kind).toBe('agrees');
  expect(accountFor(aResult([0.1]), window(700)).kind).toBe('doubtful');
  expect(accountFor(aResult([0.1], { callMs: 900 }), window(700)).kind).toBe('impossible');
  expect(accountFor(aResult([900], { callMs: 680 }), window(700)).kind).toBe('impossible');
});

test('more time than there was is impossible, and said with both clocks @attack', () => {
  expect(accountFor(aResult([2_000, 3_000]), window(2_500))).toEqual({
    kind: 'impossible',
    why: "the page's timed iterations add up to 5.00 s, and by the farm's own clock its window lasted 2.50 s",
  });
  expect(kindOf([1.7e308, 1.7e308], 2_500)).toBe('impossible');
  expect(kindOf([1], 500, 2 ** 31)).toBe('impossible');
  expect(kindOf([600, -100], 500)).toBe('impossible');
});

test("doubts a window without page data, within the marks' travel time @attack", () => {
  expect(kindOf([1e-300], 2_500)).toBe('doubtful');
  expect(kindOf([1_500], 61_500)).toBe('doubtful');
  expect(kindOf([1], 400)).toBe('agrees');
});

test('both tolerances lie where documented', () => {
  const { over, missing } = clockLimits;
  const most = 1_000 * (1 + over.share) + over.ms;
  expect([kindOf([most - 1], 1_000), kindOf([most + 1], 1_000)]).toEqual(['agrees', 'impossible']);
  const least = 4_000 * (1 - missing.share) - missing.ms;
  expect([kindOf([least + 1], 4_000), kindOf([least - 1], 4_000)]).toEqual(['agrees', 'doubtful']);
});

test('judges nothing without its own window or durations', () => {
  expect(accountFor(aResult([1e9]), { windowMs: null, gapMs: 0 }).kind).toBe('agrees');
  const samples = [{ metric: 'score', unit: 'points', warmUp: [], timed: [1e9] }];
  expect(accountFor(aResult([], { samples }), window(10)).kind).toBe('agrees');
});

function aClock() {
  const at = { now: 1_000, uptimeMs: 50_000 };
  const clock = new OwnClock({ now: () => at.now, uptimeMs: () => at.uptimeMs });
  const pass = (ms: number, asleepMs = 0): void => {
    at.now += ms;
    at.uptimeMs += ms + asleepMs;
  };
  return { clock, pass };
}

test('a farm that was stopped, or a machine that slept, quarantines the trial @attack', () => {
  for (const [stopped, asleep] of [
    [60_000, 0],
    [250, 60_000],
  ] as const) {
    const { clock, pass } = aClock();
    clock.watch();
    clock.start();
    pass(stopped, asleep);
    clock.look();
    pass(250);
    clock.end();
    clock.stop();
    const [reason, ...others] = judgeGap(clock.facts);
    expect(reason).toMatch(/^the farm stood still for (59\.75|60\.00) s while the page measured/);
    expect(others).toEqual([]);
  }
});

test('looks that come in time are no gap; the last window counts', () => {
  const { clock, pass } = aClock();
  clock.watch();
  clock.start();
  pass(700);
  clock.end();
  clock.start();
  for (let look = 0; look < 40; look += 1) {
    pass(clockLimits.tickMs);
    clock.look();
  }
  clock.end();
  clock.stop();
  pass(60_000);
  expect(clock.facts).toEqual({ windowMs: 10_000, gapMs: 450 });
  expect(judgeGap(clock.facts)).toEqual([]);
});
