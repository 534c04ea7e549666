import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { computeEvidence, logCapital, logEValue } from './mixture-test.ts';
import { seededGenerator } from './random.ts';
import { fallingRoot, logInterval, type LogInterval, runningIntervals } from './ratio-interval.ts';
import { StatisticsRefusal } from './refusal.ts';
import { typicalLogRatio } from './typical-ratio.ts';

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

/** 2,001 shifts in and around an interval, every block and one scale beyond it, and some far outside. */
function shiftsAround(values: readonly number[], { low, high }: LogInterval) {
  const width = high - low;
  const near = Array.from({ length: 2001 }, (_, i) => low + (i / 500 - 1.5) * width);
  const blocks = values.flatMap((value) => [value - 0.01, value, value + 0.01]);
  const shifts = [-1e6, -1000, -30, ...near, ...blocks, 30, 1000, 1e6];
  return { shifts: shifts.sort((a, b) => a - b), step: width / 500 };
}

/** Slow twin: asks the test itself about every one of the shifts. */
function slowInterval(values: readonly number[], around: LogInterval, alpha = 0.05) {
  const { shifts, step } = shiftsAround(values, around);
  const needed = Math.log(1 / alpha);
  const asked = shifts.map((shift) => ({ shift, evidence: computeEvidence(values, shift) }));
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
      const interval = intervalOf(values, alpha);
      const { kept, step } = slowInterval(values, interval, alpha);
      const gaps = [Math.min(...kept) - interval.low, interval.high - Math.max(...kept)];
      return gaps.every((gap) => gap >= -1e-9 && gap <= step * 1.001);
    }),
    { ...seeded, numRuns: 60 },
  );
});

test('no shift that E does not reject is outside the interval', () => {
  fc.assert(
    fc.property(skewed, (values) => {
      const interval = intervalOf(values);
      const { low, high } = interval;
      return slowInterval(values, interval).notRejected.every(
        ({ shift }) => shift >= low - 1e-9 && shift <= high + 1e-9,
      );
    }),
    { ...seeded, numRuns: 60 },
  );
});

test('the kept shifts have no hole: each side’s evidence is monotone in the shift', () => {
  fc.assert(
    fc.property(fc.oneof(differences, skewed), (values) => {
      const above: number[] = [];
      const below: number[] = [];
      const { shifts } = shiftsAround(values, intervalOf(values));
      for (const shift of shifts.filter((_, index) => index % 20 === 0)) {
        const evidence = computeEvidence(values, shift);
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

test('keeps no ratio more than a scale beyond all blocks', () => {
  const values = [0.5, 0.52, 0.48, 0.51, 0.5, 0.49, 0.5, 0.53];
  const { low, high } = intervalOf(values);
  expect(low).toBeGreaterThanOrEqual(0.47);
  expect(high).toBeLessThanOrEqual(0.54);
});

test('shifting the differences shifts the interval, exchanging the series mirrors it', () => {
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

test('one wild block widens the interval on its side, not the other', () => {
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

test('has no interval before the smallest number of blocks', () => {
  expect(logInterval([1, 1, 1, 1, 1], 0.05)).toBeNull();
  const kinds = runningIntervals([1, 1, 1, 1, 1, 1, 1], 0.05).map(({ kind }) => kind);
  expect(kinds).toEqual([...Array.from({ length: 5 }, () => 'open'), 'bounded', 'bounded']);
});

test('identical differences give a narrow interval that is never a point', () => {
  for (const value of [0, 0.1, -3.3]) {
    const [few, many] = [12, 400].map((n) => intervalOf(Array.from({ length: n }, () => value)));
    for (const { low, high } of [few!, many!]) {
      expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
    }
    expect(few!.high - few!.low).toBeLessThan(0.02);
    expect(many!.high - many!.low).toBeLessThan((few!.high - few!.low) / 10);
  }
});

test('adds the resolution of the clock at each end', () => {
  const values = [0.5, 0.52, 0.48, 0.51, 0.5, 0.49, 0.5, 0.53];
  const fine = intervalOf(values);
  const coarse = logInterval(values, 0.05, { resolution: 0.01 });
  expect(coarse?.low).toBeCloseTo(fine.low - 0.01, 12);
  expect(coarse?.high).toBeCloseTo(fine.high + 0.01, 12);
  const running = runningIntervals(values, 0.05, { resolution: 0.01 }).at(-1);
  expect(running).toMatchObject({ kind: 'bounded', low: expect.closeTo(coarse!.low, 9) });
});

const round = { blocks: 5, values: { a: [2, 2.2, 2.1, 2, 2.3], b: [1, 1.1, 1, 1, 1.05] } };
const ofRound = round.values.a.map((a, i) => Math.log(a) - Math.log(round.values.b[i]!));

test('five blocks of an alike first round leave the range between trials', () => {
  const looks = runningIntervals(ofRound, 0.05, { firstRound: round });
  expect(looks.map(({ kind }) => kind)).toEqual(['open', 'open', 'open', 'open', 'bounded']);
  const last = logInterval(ofRound, 0.05, { firstRound: round });
  expect(last?.low).toBeCloseTo(Math.log(2 / 1.1), 9);
  expect(last?.high).toBeCloseTo(Math.log(2.3), 9);
  expect(looks.at(-1)).toMatchObject({ low: last?.low, high: last?.high });
});

test('has no look inside a first round, for unlike sides as well', () => {
  const values = Array.from({ length: 9 }, () => 1);
  const kinds = (blocks: number) =>
    runningIntervals(values, 0.05, { firstRound: { blocks } }).map(({ kind }) => kind);
  expect(kinds(9).slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'open'));
  expect(kinds(9)[8]).toBe('bounded');
  expect(kinds(5).indexOf('bounded')).toBe(5);
  expect(logInterval(values, 0.05, { firstRound: { blocks: 10 } })).toBeNull();
});

test('the interval holds the estimate though a first round excludes it', () => {
  const apart = { a: [1.001, 1.0012, 1.0011, 1.001, 1.0013], b: [1, 1.0001, 1, 1, 1.0002] };
  const first = apart.a.map((a, i) => Math.log(a / apart.b[i]!));
  const changed = [...first, ...Array.from({ length: 10 }, () => 0)];
  const estimate = typicalLogRatio(changed);
  const { low, high } = logInterval(changed, 0.05, {
    firstRound: { blocks: 5, values: apart },
  })!;
  expect(low).toBeLessThan(estimate);
  expect(high).toBeGreaterThan(estimate);
});

test('no single ratio fits a first round and distant later blocks', () => {
  const changed = [...ofRound, ...Array.from({ length: 60 }, (_, i) => 0.1 + 0.001 * (i % 5))];
  expect(runningIntervals(changed, 0.05, { firstRound: round }).at(-1)?.kind).toBe('empty');
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

test('a ratio that changes during the run leaves the intersection empty', () => {
  const values = Array.from({ length: 120 }, (_, i) => (i < 20 ? 0.5 : -0.5) + 0.01 * (i % 3));
  const kinds = runningIntervals(values, 0.05).map(({ kind }) => kind);
  expect(kinds[19]).toBe('bounded');
  expect(kinds.at(-1)).toBe('empty');
  expect(kinds.slice(kinds.indexOf('empty'))).not.toContain('bounded');
});

test("a look's interval holds the typical value of skewed differences", () => {
  fc.assert(
    fc.property(fc.oneof(differences, skewed), (values) => {
      const { low, high } = intervalOf(values);
      const centre = typicalLogRatio(values);
      return low <= centre + 1e-12 && centre <= high + 1e-12;
    }),
    seeded,
  );
});

test('refuses an empty list, NaN and levels outside 0 … 1', () => {
  expect(() => runningIntervals([], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([NaN], 0.05)).toThrow(StatisticsRefusal);
  expect(() => runningIntervals([1], 0)).toThrow(StatisticsRefusal);
});

const whole = { from: 0, to: 1 };

test('finds the root from its left, to the last digits', () => {
  const steepness = fc.double({ min: 0.01, max: 1000, noNaN: true });
  const roots = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(roots, steepness, (root, steep) => {
      for (const shape of [(x: number) => x, (x: number) => x ** 3, Math.tanh, Math.sinh]) {
        // sinh overflows beyond 710: infinite values on either side must not stop the search.
        const found = fallingRoot((x) => shape(steep * (root - x)), whole);
        if (!(found <= root && root - found < 1e-11)) return false;
      }
      return true;
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("gives the range's end for a function negative at once or nowhere", () => {
  expect(fallingRoot((x) => -1 - x, whole)).toBe(0);
  expect(fallingRoot((x) => 2 - x, whole)).toBe(1);
  expect(fallingRoot((x) => 5 - x, { from: 5, to: 5 })).toBe(5);
});

test('ends its search in a range without a number between its ends', () => {
  const from = 1e9;
  const to = from + 2e-7;
  const found = fallingRoot((x) => from + 1e-7 - x, { from, to });
  expect(found).toBeGreaterThanOrEqual(from);
  expect(found).toBeLessThanOrEqual(to);
});

test('needs fewer than twenty evaluations where the function is nearly straight', () => {
  let evaluations = 0;
  fallingRoot((x) => {
    evaluations += 1;
    return 1 - Math.exp(3 * (x - 0.01));
  }, whole);
  expect(evaluations).toBeLessThan(20);
});
