import { expect, test } from '@playwright/test';
import { seededGenerator } from './random.ts';
import { decideUnpaired, shiftInterval } from './shift-interval.ts';

const apart = (m: number, n: number) =>
  shiftInterval(
    Array.from({ length: m }, (_, i) => 100 + i * 1.37),
    Array.from({ length: n }, (_, i) => i * 1.11),
  );

/** Slow twin: counts pairs in every order of m + n values. */
function countedTail(m: number, n: number, most: number): number {
  let few = 0;
  let all = 0;
  const place = (left: number, behind: number, pairs: number, others: number): void => {
    if (left === 0) {
      all += 1;
      if (pairs <= most) few += 1;
      return;
    }
    if (behind > 0) place(left - 1, behind - 1, pairs + others, others);
    if (left > behind) place(left - 1, behind, pairs, others + 1);
  };
  place(m + n, m, 0, 0);
  return few / all;
}

test('the coverage equals that of all orders of the values, counted one by one', () => {
  for (const [m, n] of [
    [1, 1],
    [2, 3],
    [3, 3],
    [3, 5],
    [4, 4],
    [5, 5],
    [4, 9],
  ] as const) {
    const a = Array.from({ length: m }, (_, i) => Math.sqrt(i + 1));
    const b = Array.from({ length: n }, (_, i) => Math.cbrt(3 * i + 1));
    const { low, confidence } = shiftInterval(a, b);
    const sorted = a.flatMap((x) => b.map((y) => x - y)).toSorted((x, y) => x - y);
    const rank = sorted.indexOf(low) + 1;
    expect(confidence, `${String(m)} and ${String(n)}`).toBeCloseTo(
      1 - 2 * countedTail(m, n, rank - 1),
      12,
    );
    // The next narrower one would fall below what is wanted.
    if (rank > 1) expect(confidence).toBeGreaterThanOrEqual(0.95);
    expect(1 - 2 * countedTail(m, n, rank)).toBeLessThan(0.95);
  }
});

test('the p-value of two separate series is that of two orders of all', () => {
  expect(apart(4, 4).p).toBeCloseTo(2 / 70, 12);
  expect(apart(3, 3).p).toBeCloseTo(2 / 20, 12);
  expect(apart(3, 3).confidence).toBeCloseTo(0.9, 12);
  // Mann and Whitney (1947), table I: P(U ≤ 2) of 5 and 5 is 4 / 252.
  expect(countedTail(5, 5, 2)).toBeCloseTo(4 / 252, 12);
});

test('the normal approximation agrees with the exact distribution', () => {
  const values = (count: number, seed: number) => {
    const random = seededGenerator(seed);
    return Array.from({ length: count }, () => random.normal());
  };
  const exact = shiftInterval(values(50, 1), values(50, 2));
  const approximate = shiftInterval(values(50, 1), values(51, 2));
  expect(approximate.low).toBeCloseTo(exact.low, 1);
  expect(approximate.confidence).toBeCloseTo(exact.confidence, 2);
});

test('the interval excludes 0 if and only if p says so, ties included', () => {
  const random = seededGenerator(11);
  for (let run = 0; run < 300; run += 1) {
    const draw = (count: number, shift: number) =>
      Array.from({ length: count }, () => Math.round(2 * random.normal() + shift));
    const { low, high, p, confidence } = shiftInterval(draw(6, 2), draw(7, 0));
    expect(low > 0 || high < 0).toBe(p <= 1 - confidence + 1e-12);
  }
});

test('covers the true shift of simulated pairs of runs as often as claimed', () => {
  const random = seededGenerator(20_261_121);
  const noise = {
    normal: () => random.normal(),
    lognormal: () => Math.exp(random.normal()),
    'two modes': () => (random.uniform() < 0.3 ? 5 : 0) + random.normal() / 4,
  };
  for (const [name, draw] of Object.entries(noise)) {
    let missed = 0;
    const runs = 1_000;
    for (let run = 0; run < runs; run += 1) {
      const a = Array.from({ length: 5 }, () => draw() + 0.7);
      const b = Array.from({ length: 8 }, draw);
      const { low, high } = shiftInterval(a, b);
      if (low > 0.7 || high < 0.7) missed += 1;
    }
    // 5 % and three standard deviations.
    expect(missed / runs, name).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
  }
});

test('refuses values without a number', () => {
  expect(() => shiftInterval([], [1])).toThrow(/no value of a/);
  expect(() => shiftInterval([1], [NaN])).toThrow(/value of b at index 0 is NaN/);
  expect(() => shiftInterval([1], [1], 95)).toThrow(/confidence is 95/);
});

const lower = { better: 'lower' } as const;
const around = (centre: number, count: number, spread = 0.01) =>
  Array.from({ length: count }, (_, i) => centre * (1 + spread * (i - (count - 1) / 2)));

test('calls a longer run slower, and faster if more is better', () => {
  const seen = decideUnpaired(around(12, 6), around(10, 6), lower);
  expect(seen).toMatchObject({ verdict: 'slower', significant: true, relevant: true });
  expect(seen.ratio).toBeCloseTo(1.2, 2);
  expect(seen.low).toBeLessThan(seen.ratio);
  expect(seen.high).toBeGreaterThan(seen.ratio);
  expect(decideUnpaired(around(12, 6), around(10, 6), { better: 'higher' }).verdict).toBe('faster');
});

test('gives a ratio and neither interval nor verdict with too few trials', () => {
  expect(decideUnpaired(around(20, 3), around(10, 3), lower)).toMatchObject({
    verdict: 'undecided',
    because: 'too-few-trials',
    low: null,
    high: null,
    significant: false,
  });
  expect(decideUnpaired(around(20, 4), around(10, 4), lower).verdict).toBe('slower');
});

test('runs that differ by less than the margin are equivalent, others are undecided', () => {
  const narrow = decideUnpaired(around(10.01, 12, 0.0005), around(10, 12, 0.0005), lower);
  expect(narrow).toMatchObject({ verdict: 'equivalent', because: null });
  const wide = decideUnpaired(around(10.1, 5, 0.1), around(10, 5, 0.1), lower);
  expect(wide).toMatchObject({ verdict: 'undecided', because: 'too-wide' });
});

test('calls two runs of one program different in at most 5 %', () => {
  const random = seededGenerator(4);
  const runs = 2_000;
  let alarms = 0;
  for (let run = 0; run < runs; run += 1) {
    const draw = () => Array.from({ length: 6 }, () => 10 * Math.exp(0.1 * random.normal()));
    const { verdict } = decideUnpaired(draw(), draw(), lower);
    if (verdict === 'slower' || verdict === 'faster') alarms += 1;
  }
  expect(alarms / runs).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
});

test('a value of 0 has no ratio', () => {
  expect(() => decideUnpaired([0, 1], [1, 1], lower)).toThrow(/value of a at index 0 is 0/);
});
