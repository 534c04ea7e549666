import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { mean } from 'simple-statistics';
import { evidenceOf, logCapital, logEValue } from './mixture-test.ts';
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

/** Most blocks near one value, some far to one side. */
const skewed = fc
  .tuple(
    fc.array(fc.double({ min: -0.01, max: 0.01, noNaN: true }), { minLength: 8, maxLength: 40 }),
    fc.array(fc.double({ min: 0.1, max: 2, noNaN: true }), { minLength: 1, maxLength: 20 }),
  )
  .map(([calm, wild]) => [...calm, ...wild]);

function intervalOf(values: readonly number[], alpha = 0.05) {
  const interval = logInterval(values, alpha);
  if (interval === null) throw new Error('expected an interval');
  return interval;
}

/** 4,001 shifts in and around the data, and some that are far outside. */
function shiftsAround(values: readonly number[]) {
  const [smallest, largest] = [Math.min(...values), Math.max(...values)];
  const width = largest - smallest + 1e-9;
  const middle = (smallest + largest) / 2;
  const near = Array.from({ length: 4001 }, (_, i) => middle + ((i - 2000) / 1000) * width);
  return { shifts: [-1e6, -1000, -30, ...near, 30, 1000, 1e6], step: width / 1000 };
}

/** Slow twin: asks the test itself about every one of the shifts. */
function slowInterval(values: readonly number[], alpha = 0.05) {
  const { shifts, step } = shiftsAround(values);
  const needed = Math.log(1 / alpha);
  const asked = shifts.map((shift) => ({ shift, evidence: evidenceOf(values, shift) }));
  const kept = asked.filter(
    ({ evidence }) =>
      logCapital(evidence, 'above') < needed && logCapital(evidence, 'below') < needed,
  );
  const notRejected = asked.filter(({ evidence }) => logEValue(evidence) < needed);
  return { kept: kept.map(({ shift }) => shift), notRejected, step };
}

test('the interval holds exactly the shifts that neither side rejects', () => {
  fc.assert(
    fc.property(differences, fc.constantFrom(0.05, 0.2), (values, alpha) => {
      const { low, high } = intervalOf(values, alpha);
      const { kept, step } = slowInterval(values, alpha);
      const gaps = [Math.min(...kept) - low, high - Math.max(...kept)];
      return gaps.every((gap) => gap >= -1e-9 && gap <= step * 1.001);
    }),
    { ...seeded, numRuns: 60 },
  );
});

test('no shift that E does not reject is outside the interval', () => {
  fc.assert(
    fc.property(skewed, (values) => {
      const { low, high } = intervalOf(values);
      return slowInterval(values).notRejected.every(
        ({ shift }) => shift >= low - 1e-9 && shift <= high + 1e-9,
      );
    }),
    { ...seeded, numRuns: 60 },
  );
});

test('the kept shifts have no hole: the higher the shift, the less speaks for more, the more for less', () => {
  fc.assert(
    fc.property(fc.oneof(differences, skewed), (values) => {
      const above: number[] = [];
      const below: number[] = [];
      for (const shift of shiftsAround(values).shifts.filter((_, index) => index % 20 === 0)) {
        const evidence = evidenceOf(values, shift);
        above.push(logCapital(evidence, 'above'));
        below.push(-logCapital(evidence, 'below'));
      }
      return [above, below].every((logs) =>
        logs.every((log, i) => i === 0 || log <= logs[i - 1]! + 1e-9 * (1 + Math.abs(log))),
      );
    }),
    { ...seeded, numRuns: 100 },
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

test('one wild block widens the interval on its side, and hardly moves its other end', () => {
  const generator = seededGenerator(4);
  const calm = Array.from({ length: 60 }, () => 0.05 + 0.02 * generator.normal());
  const before = intervalOf(calm);
  const hair = (before.high - before.low) / 10;
  const slow = intervalOf([...calm, 6]);
  expect(slow.high).toBeGreaterThan(before.high);
  expect(Math.abs(slow.low - before.low)).toBeLessThan(hair);
  const quick = intervalOf([...calm, -6]);
  expect(quick.low).toBeLessThan(before.low);
  expect(Math.abs(quick.high - before.high)).toBeLessThan(hair);
});

test('before the smallest number of blocks there is no interval', () => {
  expect(logInterval([1, 1, 1, 1, 1, 1, 1], 0.05)).toBeNull();
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
  let previous = { low, high };
  runningIntervals(values, 0.05).forEach((running, index) => {
    const look = logInterval(values.slice(0, index + 1), 0.05);
    low = Math.max(low, look?.low ?? -Infinity);
    high = Math.min(high, look?.high ?? Infinity);
    if (look === null) expect(running.kind).toBe('open');
    else {
      if (running.kind !== 'bounded') throw new Error(`expected bounds, not ${running.kind}`);
      expect(running.low).toBeCloseTo(low, 11);
      expect(running.high).toBeCloseTo(high, 11);
      expect(running.low).toBeGreaterThanOrEqual(previous.low);
      expect(running.high).toBeLessThanOrEqual(previous.high);
      previous = running;
    }
  });
});

test('a ratio that changes on the way ends in an empty intersection, for good', () => {
  const values = Array.from({ length: 120 }, (_, i) => (i < 20 ? 0.5 : -0.5) + 0.01 * (i % 3));
  const kinds = runningIntervals(values, 0.05).map(({ kind }) => kind);
  expect(kinds[19]).toBe('bounded');
  expect(kinds.at(-1)).toBe('empty');
  expect(kinds.slice(kinds.indexOf('empty'))).not.toContain('bounded');
});

test('the interval of a look holds the mean of its differences, however skewed they are', () => {
  fc.assert(
    fc.property(fc.oneof(differences, skewed), (values) => {
      const { low, high } = intervalOf(values);
      const centre = mean(values);
      return low <= centre + 1e-12 && centre <= high + 1e-12;
    }),
    seeded,
  );
});

test('nothing, NaN and levels outside 0 … 1 are refused', () => {
  expect(() => runningIntervals([], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([NaN], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([1], 0)).toThrow(StatisticsRefusal);
});
