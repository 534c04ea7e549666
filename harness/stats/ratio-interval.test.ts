import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { differenceMoments, logEValue, mixtureLogE } from './mixture-test.ts';
import { seededGenerator } from './random.ts';
import { logInterval, runningIntervals } from './ratio-interval.ts';
import { StatisticsRefusal } from './refusal.ts';

// Conditions are returned, not expected: see mixture-test.test.ts.
const seeded = { seed: 1, numRuns: 300 };
const spread = fc.constantFrom(0.0005, 0.01, 0.05, 0.5, 20);
const differences = fc
  .tuple(
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 60 }),
    spread,
    fc.double({ min: -1, max: 1, noNaN: true }),
  )
  .map(([values, scale, centre]) => values.map((value) => centre + scale * value));

function intervalOf(values: readonly number[], alpha = 0.05) {
  const interval = logInterval(differenceMoments(values), alpha);
  if (interval === null) throw new Error('expected an interval');
  return interval;
}

/** Slow twin: asks the test itself about 4,001 shifts, also far outside the data. */
function slowInterval(values: readonly number[], alpha = 0.05) {
  const moments = differenceMoments(values);
  const width = moments.largest - moments.smallest + 1e-9;
  const shifts = Array.from({ length: 4001 }, (_, i) => moments.mean + ((i - 2000) / 1000) * width);
  const far = [-1e6, -1000, -30, 30, 1000, 1e6];
  const kept = [...shifts, ...far].filter(
    (shift) => logEValue(moments, shift) < Math.log(1 / alpha),
  );
  return { low: Math.min(...kept), high: Math.max(...kept), step: width / 1000 };
}

test('the interval holds exactly the shifts that the test does not reject', () => {
  fc.assert(
    fc.property(differences, fc.constantFrom(0.05, 0.2), (values, alpha) => {
      const { low, high } = intervalOf(values, alpha);
      const slow = slowInterval(values, alpha);
      const gaps = [slow.low - low, high - slow.high];
      return gaps.every((gap) => gap >= -1e-9 && gap <= slow.step * 1.001);
    }),
    seeded,
  );
});

test('the kept shifts have no hole: from the mean outwards the evidence only grows', () => {
  fc.assert(
    fc.property(differences, (values) => {
      const moments = differenceMoments(values);
      const outwards = (end: number) =>
        Array.from({ length: 101 }, (_, step) =>
          mixtureLogE(moments, moments.mean + (step / 100) * (end - moments.mean)),
        );
      return [moments.smallest, moments.largest].every((end) =>
        outwards(end).every((logE, step, all) => step === 0 || logE >= all[step - 1]! - 1e-9),
      );
    }),
    seeded,
  );
});

test('absurdly distant ratios, which the mixture alone would keep, are left out', () => {
  const values = [0.5, 0.52, 0.48, 0.51, 0.5, 0.49, 0.5, 0.53];
  const { low, high } = intervalOf(values);
  expect(low).toBeGreaterThanOrEqual(0.48);
  expect(high).toBeLessThanOrEqual(0.53);
});

test('a shift of all differences shifts the interval, exchanging the series mirrors it', () => {
  fc.assert(
    fc.property(differences, fc.double({ min: -1, max: 1, noNaN: true }), (values, shift) => {
      const { low, high } = intervalOf(values);
      const tolerance = 1e-9 * (1 + Math.max(...values.map(Math.abs)));
      const moved = intervalOf(values.map((value) => value + shift));
      const mirrored = intervalOf(values.map((value) => -value));
      return [
        moved.low - low - shift,
        moved.high - high - shift,
        mirrored.low + high,
        mirrored.high + low,
      ].every((gap) => Math.abs(gap) < tolerance);
    }),
    seeded,
  );
});

test('one wild block widens the interval and does not move it away', () => {
  const generator = seededGenerator(4);
  const calm = Array.from({ length: 60 }, () => 0.05 + 0.02 * generator.normal());
  const before = intervalOf(calm);
  const after = intervalOf([...calm, 6]);
  expect(after.low).toBeLessThan(before.low);
  expect(after.high).toBeGreaterThan(before.high);
});

test('before the smallest number of blocks there is no interval', () => {
  expect(logInterval(differenceMoments([1, 1, 1, 1, 1, 1, 1]), 0.05)).toBeNull();
  const kinds = runningIntervals([1, 1, 1, 1, 1, 1, 1, 1, 1], 0.05).map(({ kind }) => kind);
  expect(kinds).toEqual([...Array.from({ length: 7 }, () => 'open'), 'bounded', 'bounded']);
});

test('identical differences give the interval of width 0 at their value', () => {
  for (const value of [0, 0.1, -3.3]) {
    const { low, high } = intervalOf(Array.from({ length: 12 }, () => value));
    expect([low, high]).toEqual([value, value]);
  }
});

test('the running interval is the intersection of the looks, and never grows', () => {
  const generator = seededGenerator(9);
  const values = Array.from({ length: 80 }, () => 0.05 + 0.07 * generator.normal());
  let low = -Infinity;
  let high = Infinity;
  runningIntervals(values, 0.05).forEach((running, index) => {
    const look = logInterval(differenceMoments(values.slice(0, index + 1)), 0.05);
    low = Math.max(low, look?.low ?? -Infinity);
    high = Math.min(high, look?.high ?? Infinity);
    if (look === null) expect(running.kind).toBe('open');
    else expect(running).toEqual({ kind: 'bounded', low, high });
  });
});

test('a ratio that changes on the way ends in an empty intersection, for good', () => {
  const values = Array.from({ length: 120 }, (_, i) => (i < 20 ? 0.5 : -0.5) + 0.01 * (i % 3));
  const kinds = runningIntervals(values, 0.05).map(({ kind }) => kind);
  expect(kinds[19]).toBe('bounded');
  expect(kinds.at(-1)).toBe('empty');
  expect(kinds.slice(kinds.indexOf('empty'))).not.toContain('bounded');
});

test('nothing, NaN and levels outside 0 … 1 are refused', () => {
  expect(() => runningIntervals([], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([NaN], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([1], 0)).toThrow(StatisticsRefusal);
});
