import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { computeRoundEvidence } from './first-round.ts';
import {
  addDifference,
  emptyEvidence,
  type Evidence,
  computeEvidence,
  logCapital,
  logEValue,
  rejects,
  smallestBlocks,
} from './mixture-test.ts';
import { StatisticsRefusal } from './refusal.ts';

// Most bets depend on what lies within 1 %, so half of the differences do.
const difference = fc.oneof(
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.double({ min: -0.012, max: 0.012, noNaN: true }),
);
// Conditions are returned, not expected: Playwright records every `expect` as a step, which takes
// longer than the statistics in a property that runs thousands of times.
const differences = fc.array(difference, { minLength: 1, maxLength: 40 });
const seeded = { seed: 1, numRuns: 200 };

/** Slow twin of one side's capital: every stake, bet for bet, as the formula has it. */
function slowCapital(values: readonly number[]): number {
  const stakeOf = (share: number) =>
    values.reduce((stake, x) => stake * (1 + share * Math.max(-1, Math.min(1, x / 0.01))), 1);
  const bets = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1].map(stakeOf);
  const weights = [0.03, 0.04, 0.06, 0.08, 0.08, 0.08, 0.63];
  return bets.reduce((total, bet, index) => total + (weights[index] ?? NaN) * bet, 0) / 2;
}

const isNear = (value: number, expected: number) =>
  Math.abs(value - expected) < 1e-9 * expected + 1e-12;

test('the evidence equals that of its bets, on either side', () => {
  const shifts = fc.double({ min: -0.3, max: 0.3, noNaN: true });
  fc.assert(
    fc.property(differences, shifts, (values, shift) => {
      const evidence = computeEvidence(values, shift);
      const above = slowCapital(values.map((value) => value - shift));
      const below = slowCapital(values.map((value) => shift - value));
      return [
        isNear(Math.exp(logCapital(evidence, 'above')), above),
        isNear(Math.exp(logCapital(evidence, 'below')), below),
        isNear(Math.exp(logEValue(evidence)), above + below),
      ].every(Boolean);
    }),
    seeded,
  );
});

/** Half of ρ · R · Σ v Π (1 + λψ) and of the bets on all blocks. */
function capitalWithRound(R: number, all: readonly number[], later: readonly number[]): number {
  const product = (stake: number, of: readonly number[]) =>
    of.reduce((won, d) => won * (1 + stake * Math.max(-1, Math.min(1, d / 0.01))), 1);
  const stakes = [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 1];
  const weights = [0.02, 0.04, 0.06, 0.1, 0.2, 0.33, 0.25];
  const beside = stakes.slice(0, 6).reduce((sum, stake) => sum + product(stake, all) / 12, 0);
  const after = stakes.reduce((sum, stake, i) => sum + weights[i]! * product(stake, later), 0);
  return beside / 2 + (R * after) / 4;
}

test('an alike first round bets half the capital, then stakes its winnings', () => {
  const values = { a: [2, 2.1, 2.2], b: [1, 1.1, 1.05] };
  const round = computeRoundEvidence({ blocks: 3, values });
  const seen = [...values.a.map((a, block) => Math.log(a) - Math.log(values.b[block]!)), 0.604];
  const capital = (count: number, ratio: number) =>
    Math.exp(logCapital(computeEvidence(seen.slice(0, count), Math.log(ratio), round), 'above'));
  const expected = (count: number, ratio: number, R: number) => {
    const distances = seen.map((d) => d - Math.log(ratio));
    return capitalWithRound(R, distances.slice(0, count), distances.slice(3, count));
  };
  // All of a lie above all of b up to a ratio of 2 / 1.1; with one out of place up to 2 / 1.05 (of
  // b) or 2.1 / 1.1 (of a), with two up to 2 and 2.
  for (const count of [3, 4]) {
    expect(capital(count, 1.8)).toBeCloseTo(expected(count, 1.8, 8 + 2 + 0.4), 9);
    expect(capital(count, 1.85)).toBeCloseTo(expected(count, 1.85, 2 + 0.4), 9);
    expect(capital(count, 1.907)).toBeCloseTo(expected(count, 1.907, 1 + 0.4), 9);
    expect(capital(count, 1.95)).toBeCloseTo(expected(count, 1.95, 0.4), 9);
    expect(capital(count, 2.05)).toBeCloseTo(expected(count, 2.05, 0), 9);
  }
  expect(capital(2, 1.8)).toBeCloseTo(expected(2, 1.8, 1), 9);
});

test('one slowed trial does not ruin a first round', () => {
  const quiet = [1, 1.001, 1.002, 1.003];
  const twice = [1.998, 2, 2.002, 2.004, 2.006];
  const round = { blocks: 5, values: { a: twice, b: [...quiet, 3] } };
  const seen = twice.map((a, i) => Math.log(a / round.values.b[i]!));
  const won = (differences: readonly number[], of = computeRoundEvidence(round)) =>
    rejects(computeEvidence(differences, 0, of), 0.05);
  const later = [0.69, 0.69, 0.69, 0.69];
  expect(won([...seen, ...later])).toBe(true);
  expect(won([...seen, ...later], null)).toBe(false);
});

test('the evidence added block by block equals that of all blocks', () => {
  fc.assert(
    fc.property(differences, difference, (values, shift) => {
      const step = (evidence: Evidence, value: number) => addDifference(evidence, value - shift);
      const stepwise = values.reduce(step, emptyEvidence(shift));
      return isNear(logEValue(stepwise) + 1e6, logEValue(computeEvidence(values, shift)) + 1e6);
    }),
    seeded,
  );
});

test('a fair sign leaves the expected evidence unchanged under any noise', () => {
  const capitals = [
    logEValue,
    (evidence: Evidence) => logCapital(evidence, 'above'),
    (evidence: Evidence) => logCapital(evidence, 'below'),
  ];
  fc.assert(
    fc.property(differences, difference, (past, size) =>
      capitals.every((logOf) => {
        const before = Math.exp(logOf(computeEvidence(past)));
        const up = Math.exp(logOf(computeEvidence([...past, size])));
        const down = Math.exp(logOf(computeEvidence([...past, -size])));
        const change = (up + down) / 2 / before - 1;
        return Math.abs(change) < 1e-9;
      }),
    ),
    { ...seeded, numRuns: 2000 },
  );
});

test('a wild block wins or loses no more than one at the scale', () => {
  fc.assert(
    fc.property(differences, fc.double({ min: 0.0100001, max: 100, noNaN: true }), (past, wild) =>
      [1, -1].every(
        (sign) =>
          logEValue(computeEvidence([...past, sign * wild])) ===
          logEValue(computeEvidence([...past, sign * 0.0100001])),
      ),
    ),
    seeded,
  );
});

/** Returns whether E reaches 20 at any look. */
function everReaches20(start: Evidence, values: readonly number[]): boolean {
  let evidence = start;
  return values.some((value) => {
    evidence = addDifference(evidence, value);
    return logEValue(evidence) >= Math.log(20);
  });
}

test('at most a share α of all 2^12 sign patterns reach 1/α', () => {
  const sizes = fc.array(
    fc.oneof(fc.constant(1), fc.double({ min: 1e-4, max: 0.02, noNaN: true })),
    { minLength: 12, maxLength: 12 },
  );
  fc.assert(
    fc.property(sizes, (magnitudes) => {
      let crossed = 0;
      for (let pattern = 0; pattern < 4096; pattern += 1) {
        const signed = magnitudes.map((size, bit) => ((pattern >> bit) & 1 ? size : -size));
        if (everReaches20(emptyEvidence(), signed)) crossed += 1;
      }
      return crossed / 4096 <= 0.05;
    }),
    { seed: 1, numRuns: 5 },
  );
});

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

test('at most α of all first-round orders and signs reach 1/α', () => {
  const orders = permutations([0, 1, 2, 3, 4, 5]);
  const later = Array.from({ length: 32 }, (_, pattern) =>
    Array.from({ length: 5 }, (_, bit) => ((pattern >> bit) & 1 ? 1 : -1)),
  );
  const logs = fc.array(fc.double({ min: -0.5, max: 0.5, noNaN: true }), {
    minLength: 6,
    maxLength: 6,
  });
  fc.assert(
    fc.property(logs, (values) => {
      let crossed = 0;
      for (const order of orders) {
        const [a, b] = [order.slice(0, 3), order.slice(3)].map((side) =>
          side.map((slot) => Math.exp(values[slot] ?? NaN)),
        );
        const round = { blocks: 3, values: { a: a ?? [], b: b ?? [] } };
        const first = (a ?? []).map((value, block) => Math.log(value / (b?.[block] ?? NaN)));
        const start = computeEvidence(first, 0, computeRoundEvidence(round));
        const isOver = logEValue(start) >= Math.log(20);
        crossed += later.filter((signs) => isOver || everReaches20(start, signs)).length;
      }
      return crossed / (orders.length * later.length) <= 0.05;
    }),
    { seed: 1, numRuns: 3 },
  );
});

test('exchanging the two series changes nothing', () => {
  fc.assert(
    fc.property(differences, (values) => {
      const there = logEValue(computeEvidence(values));
      const back = logEValue(computeEvidence(values.map((value) => -value)));
      return Math.abs(back - there) < 1e-9;
    }),
    seeded,
  );
});

test('needs at least 6 blocks for 5 % and 9 for 1 %', () => {
  expect(smallestBlocks(0.05)).toBe(6);
  expect(smallestBlocks(0.01)).toBe(9);
  expect(smallestBlocks(0.999)).toBeGreaterThanOrEqual(2);
  const clear = (n: number) => computeEvidence(Array.from({ length: n }, () => 3));
  expect(rejects(clear(5), 0.05)).toBe(false);
  expect(rejects(clear(6), 0.05)).toBe(true);
  expect(rejects(clear(8), 0.01)).toBe(false);
  expect(rejects(clear(9), 0.01)).toBe(true);
});

test('with a first round of alike sides 5 blocks are enough', () => {
  expect(smallestBlocks(0.05, 5)).toBe(5);
  expect(smallestBlocks(0.05, 4)).toBe(6);
  expect(smallestBlocks(0.05, 9)).toBe(9);
  expect(smallestBlocks(0.01, 5)).toBe(8);
});

test('evidence stays finite and correct where E itself would overflow', () => {
  const values = Array.from({ length: 5000 }, (_, i) => 1 + 0.1 * (i % 2));
  // All bets are won: the one that stakes all holds 0.315 · 2^5000.
  const whole = 5000 * Math.LN2;
  expect(logEValue(computeEvidence(values))).toBeCloseTo(whole + Math.log(0.315), 6);
  expect(logEValue(computeEvidence(values, 1.05))).toBeLessThan(0);
});

test('evidence stays finite for ratios at the limits of a double', () => {
  const huge = Math.log(Number.MAX_VALUE) - Math.log(Number.MIN_VALUE);
  const evidence = computeEvidence([huge, -huge, huge, 1e-300, -1e-300, 0]);
  for (const side of ['above', 'below'] as const) {
    expect(Number.isFinite(logCapital(evidence, side))).toBe(true);
  }
});

test('series that never differ give no evidence', () => {
  const evidence = computeEvidence([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(logEValue(evidence)).toBeCloseTo(0, 12);
  expect(rejects(evidence, 0.05)).toBe(false);
});

test('refuses an empty list, NaN, infinity and levels outside 0 … 1', () => {
  expect(() => computeEvidence([])).toThrow(StatisticsRefusal);
  expect(() => computeEvidence([0.1, NaN])).toThrow(/index 1 is NaN/);
  expect(() => computeEvidence([-Infinity])).toThrow(StatisticsRefusal);
  for (const alpha of [0, 1, -1, NaN]) expect(() => smallestBlocks(alpha)).toThrow(/error rate/);
});
