import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import {
  differenceMoments,
  logEValue,
  mixtureLogE,
  rejects,
  runningLogE,
  smallestBlocks,
} from './mixture-test.ts';
import { StatisticsRefusal } from './refusal.ts';

const difference = fc.double({ min: -2, max: 2, noNaN: true });
// Conditions are returned, not expected: Playwright records every `expect` as a step, which takes
// longer than the statistics in a property that runs thousands of times.
const differences = fc.array(difference, { minLength: 1, maxLength: 40 });
const seeded = { seed: 1, numRuns: 200 };

/** Slow twin of part (1): the integral over λ, by the midpoint rule, of N(0, ρ²) · exp(λS − λ²V/2). */
function slowMixture(values: readonly number[], shift: number): number {
  const shifted = values.map((value) => value - shift);
  const sum = shifted.reduce((total, x) => total + x, 0);
  const variation = shifted.reduce((total, x) => total + x * x, 0);
  const parts = [0.005, 0.02, 0.08, 0.32].map((scale) => {
    const step = 1 / 400;
    let integral = 0;
    // λ = z / scale; beyond |z| = 12 the normal density is below 1e-31.
    for (let z = -12 + step / 2; z < 12; z += step) {
      const lambda = z / scale;
      const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
      integral += step * density * Math.exp(lambda * sum - (lambda * lambda * variation) / 2);
    }
    return integral;
  });
  return (0.84 * parts.reduce((total, part) => total + part, 0)) / 4;
}

/** Slow twin of part (2): the stake, bet for bet. */
function slowSigns(values: readonly number[], shift: number): number {
  const [first, ...others] = values.map((value) => Math.sign(value - shift));
  if (first === undefined || first === 0) return 0;
  return 0.16 * others.reduce((stake, sign) => (sign === first ? 2 * stake : 0), 1);
}

test('the closed form equals the integral over λ and the bets it stands for', () => {
  const shifts = fc.double({ min: -0.3, max: 0.3, noNaN: true });
  const small = fc.array(fc.double({ min: -0.3, max: 0.3, noNaN: true }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(small, shifts, (values, shift) => {
      const slow = slowMixture(values, shift) + slowSigns(values, shift);
      const fast = Math.exp(logEValue(differenceMoments(values), shift));
      return Math.abs(fast / slow - 1) < 1e-6;
    }),
    { ...seeded, numRuns: 60 },
  );
});

test('element i of the running evidence is the evidence of the first i + 1 blocks', () => {
  fc.assert(
    fc.property(differences, difference, (values, shift) =>
      runningLogE(values, shift).every(
        (logE, index) => logE === logEValue(differenceMoments(values.slice(0, index + 1)), shift),
      ),
    ),
    seeded,
  );
});

test('whatever the noise was, a fair sign cannot be expected to raise the evidence', () => {
  fc.assert(
    fc.property(differences, difference, (past, size) => {
      const before = Math.exp(logEValue(differenceMoments(past)));
      const up = Math.exp(logEValue(differenceMoments([...past, size])));
      const down = Math.exp(logEValue(differenceMoments([...past, -size])));
      return (up + down) / 2 <= before * (1 + 1e-9);
    }),
    { ...seeded, numRuns: 2000 },
  );
});

test('of all 2^12 sign patterns at most a share α ever reach 1/α (Ville, exactly)', () => {
  const sizes = fc.array(fc.double({ min: 1e-4, max: 3, noNaN: true }), {
    minLength: 12,
    maxLength: 12,
  });
  fc.assert(
    fc.property(sizes, (magnitudes) => {
      let crossed = 0;
      for (let pattern = 0; pattern < 4096; pattern += 1) {
        const signed = magnitudes.map((size, bit) => ((pattern >> bit) & 1 ? size : -size));
        if (runningLogE(signed).some((logE) => logE >= Math.log(20))) crossed += 1;
      }
      return crossed / 4096 <= 0.05;
    }),
    { seed: 1, numRuns: 15 },
  );
});

test('exchanging the two series changes nothing', () => {
  fc.assert(
    fc.property(differences, (values) => {
      const there = logEValue(differenceMoments(values));
      const back = logEValue(differenceMoments(values.map((value) => -value)));
      return Math.abs(back - there) < 1e-9;
    }),
    seeded,
  );
});

test('the smallest number of blocks is 8 for 5 % and 11 for 1 %, and nothing is rejected before', () => {
  expect(smallestBlocks(0.05)).toBe(8);
  expect(smallestBlocks(0.01)).toBe(11);
  expect(smallestBlocks(0.999)).toBeGreaterThanOrEqual(2);
  const clear = (n: number) => differenceMoments(Array.from({ length: n }, () => 3));
  expect(rejects(clear(7), 0.05)).toBe(false);
  expect(rejects(clear(8), 0.05)).toBe(true);
  expect(rejects(clear(10), 0.01)).toBe(false);
  expect(rejects(clear(11), 0.01)).toBe(true);
});

test('evidence stays finite and correct where E itself would overflow', () => {
  const moments = differenceMoments(Array.from({ length: 5000 }, (_, i) => 1 + 0.1 * (i % 2)));
  expect(logEValue(moments)).toBeGreaterThan(1000);
  expect(logEValue(moments)).toBeLessThan(Infinity);
  expect(mixtureLogE(moments, moments.mean)).toBeLessThan(0);
});

test('series that never differ give no evidence', () => {
  const moments = differenceMoments([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(logEValue(moments)).toBeLessThanOrEqual(0);
  expect(rejects(moments, 0.05)).toBe(false);
});

test('nothing, NaN, infinity and levels outside 0 … 1 are refused', () => {
  expect(() => differenceMoments([])).toThrow(StatisticsRefusal);
  expect(() => runningLogE([0.1, NaN])).toThrow(/index 1 is NaN/);
  expect(() => differenceMoments([-Infinity])).toThrow(StatisticsRefusal);
  for (const alpha of [0, 1, -1, NaN]) expect(() => smallestBlocks(alpha)).toThrow(/error rate/);
});
