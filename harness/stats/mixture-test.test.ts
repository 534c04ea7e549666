import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import {
  evidenceOf,
  logCapital,
  logEValue,
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
const scales = [0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12];

/** Slow twin of one side's capital: every stake, bet for bet, as the formula has it. */
function slowCapital(values: readonly number[]): number {
  const mean = scales
    .map((scale) => values.reduce((stake, x) => stake * (1 + Math.tanh(x / scale)), 1))
    .reduce((total, stake) => total + stake / scales.length, 0);
  const signs = values.reduce((stake, x) => (x > 0 ? 2 * stake : 0), 1);
  return (0.84 * mean + 0.16 * signs) / 2;
}

test('the evidence is that of the bets it stands for, on either side', () => {
  const shifts = fc.double({ min: -0.3, max: 0.3, noNaN: true });
  fc.assert(
    fc.property(differences, shifts, (values, shift) => {
      const evidence = evidenceOf(values, shift);
      const above = slowCapital(values.map((value) => value - shift));
      const below = slowCapital(values.map((value) => shift - value));
      // tanh rounds to −1 where the logarithm still knows a stake of 1e-100: hence the absolute part.
      const isClose = (logarithm: number, slow: number) =>
        Math.abs(Math.exp(logarithm) - slow) < 1e-9 * slow + 1e-12;
      return [
        isClose(logCapital(evidence, 'above'), above),
        isClose(logCapital(evidence, 'below'), below),
        isClose(logEValue(evidence), above + below),
      ].every(Boolean);
    }),
    seeded,
  );
});

test('element i of the running evidence is the evidence of the first i + 1 blocks', () => {
  fc.assert(
    fc.property(differences, difference, (values, shift) =>
      runningLogE(values, shift).every(
        (logE, index) => logE === logEValue(evidenceOf(values.slice(0, index + 1), shift)),
      ),
    ),
    seeded,
  );
});

test('whatever the noise was, a fair sign can be expected to leave the evidence as it is', () => {
  const capitals = [
    logEValue,
    (evidence: Parameters<typeof logEValue>[0]) => logCapital(evidence, 'above'),
    (evidence: Parameters<typeof logEValue>[0]) => logCapital(evidence, 'below'),
  ];
  fc.assert(
    fc.property(differences, difference, (past, size) =>
      capitals.every((logOf) => {
        const before = Math.exp(logOf(evidenceOf(past)));
        const up = Math.exp(logOf(evidenceOf([...past, size])));
        const down = Math.exp(logOf(evidenceOf([...past, -size])));
        const change = (up + down) / 2 / before - 1;
        // A tie loses the stakes on the sign of the next block.
        return size === 0 ? change <= 1e-9 : Math.abs(change) < 1e-9;
      }),
    ),
    { ...seeded, numRuns: 2000 },
  );
});

test('no bet is worth less than the exponential of the design at the same scale', () => {
  fc.assert(
    fc.property(differences, (values) => {
      const squares = values.reduce((total, x) => total + x * x, 0);
      const { logCosh } = evidenceOf(values);
      // ln M = λS − Σ ln cosh(λx), and the design's formula has λ²V/2 in place of the sum.
      return scales.every(
        (scale, index) => logCosh[index]! <= (squares / scale / scale / 2) * (1 + 1e-9) + 1e-12,
      );
    }),
    seeded,
  );
});

test('a wild block on the side of a bet raises it, and on the other costs its size, not its square', () => {
  fc.assert(
    fc.property(differences, fc.double({ min: 0.01, max: 100, noNaN: true }), (past, wild) => {
      const bets = (values: readonly number[]) => {
        const { sum, logCosh } = evidenceOf(values);
        return scales.map((scale, index) => sum / scale - logCosh[index]!);
      };
      const before = bets(past);
      const won = bets([...past, wild]);
      const lost = bets([...past, -wild]);
      return scales.every((scale, index) => {
        const y = wild / scale;
        const hair = 1e-9 * (1 + y + Math.abs(before[index]!));
        const gain = won[index]! - before[index]!;
        const loss = before[index]! - lost[index]!;
        return gain >= -hair && gain <= Math.LN2 + hair && loss <= 2 * y + hair;
      });
    }),
    seeded,
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
      const there = logEValue(evidenceOf(values));
      const back = logEValue(evidenceOf(values.map((value) => -value)));
      return Math.abs(back - there) < 1e-9;
    }),
    seeded,
  );
});

test('the smallest number of blocks is 8 for 5 % and 11 for 1 %, and nothing is rejected before', () => {
  expect(smallestBlocks(0.05)).toBe(8);
  expect(smallestBlocks(0.01)).toBe(11);
  expect(smallestBlocks(0.999)).toBeGreaterThanOrEqual(2);
  const clear = (n: number) => evidenceOf(Array.from({ length: n }, () => 3));
  expect(rejects(clear(7), 0.05)).toBe(false);
  expect(rejects(clear(8), 0.05)).toBe(true);
  expect(rejects(clear(10), 0.01)).toBe(false);
  expect(rejects(clear(11), 0.01)).toBe(true);
});

test('evidence stays finite and correct where E itself would overflow', () => {
  const values = Array.from({ length: 5000 }, (_, i) => 1 + 0.1 * (i % 2));
  // All blocks have one sign: the sign martingale holds 0.08 · 2^5000, and so does every fine scale.
  const whole = 5000 * Math.LN2;
  expect(logEValue(evidenceOf(values))).toBeGreaterThan(whole + Math.log(0.08));
  expect(logEValue(evidenceOf(values))).toBeLessThan(whole);
  expect(logEValue(evidenceOf(values, 1.05))).toBeLessThan(0);
});

test('ratios of which the double is barely a number leave the evidence finite', () => {
  const huge = Math.log(Number.MAX_VALUE) - Math.log(Number.MIN_VALUE);
  const evidence = evidenceOf([huge, -huge, huge, 1e-300, -1e-300, 0]);
  for (const side of ['above', 'below'] as const) {
    expect(Number.isFinite(logCapital(evidence, side))).toBe(true);
  }
});

test('series that never differ give no evidence', () => {
  const evidence = evidenceOf([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(logEValue(evidence)).toBeLessThanOrEqual(0);
  expect(rejects(evidence, 0.05)).toBe(false);
});

test('nothing, NaN, infinity and levels outside 0 … 1 are refused', () => {
  expect(() => evidenceOf([])).toThrow(StatisticsRefusal);
  expect(() => runningLogE([0.1, NaN])).toThrow(/index 1 is NaN/);
  expect(() => evidenceOf([-Infinity])).toThrow(StatisticsRefusal);
  for (const alpha of [0, 1, -1, NaN]) expect(() => smallestBlocks(alpha)).toThrow(/error rate/);
});
