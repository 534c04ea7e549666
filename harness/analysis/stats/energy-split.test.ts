import { expect, test } from '@playwright/test';
import { bestEnergySplit } from './energy-split.ts';
import { seededGenerator } from './random.ts';

/** The formula as it is printed: every pair, for every split. */
function slowSplit(values: readonly number[], shortest: number) {
  const pairs = (part: readonly number[]): number =>
    part.reduce(
      (sum, x, i) => sum + part.slice(0, i).reduce((inner, y) => inner + Math.abs(x - y), 0),
      0,
    );
  let best = { index: NaN, end: NaN, strength: -Infinity };
  for (let end = 2 * shortest; end <= values.length; end += 1) {
    for (let index = shortest; index <= end - shortest; index += 1) {
      const [x, y] = [values.slice(0, index), values.slice(index, end)];
      const [m, n] = [x.length, y.length];
      const cross = x.reduce(
        (sum, a) => sum + y.reduce((inner, b) => inner + Math.abs(a - b), 0),
        0,
      );
      const energy =
        (2 * cross) / (m * n) - pairs(x) / ((m * (m - 1)) / 2) - pairs(y) / ((n * (n - 1)) / 2);
      const strength = ((m * n) / (m + n)) * energy;
      if (strength > best.strength) best = { index, end, strength };
    }
  }
  return best;
}

test('golden values: two clean steps, by hand from the formula', () => {
  // Cross pairs 4 × 1, none inside: Ê = 2·4/4, Q = (2·2/4)·2.
  expect(bestEnergySplit([0, 0, 1, 1], { shortest: 2 })).toEqual({ index: 2, end: 4, strength: 2 });
  // Cross 90, inside 4 each: Ê = 2·90/9 − 4/3 − 4/3, Q = 9/6 · 52/3.
  const split = bestEnergySplit([0, 1, 2, 10, 11, 12], { shortest: 2 });
  expect(split?.index).toBe(3);
  expect(split?.strength).toBeCloseTo(26, 10);
});

test('the fast sums give what the printed formula gives', () => {
  const generator = seededGenerator(1);
  for (let round = 0; round < 40; round += 1) {
    const values = Array.from({ length: 4 + generator.nextInt(30) }, () => generator.normal());
    const shortest = 2 + generator.nextInt(1);
    const [fast, slow] = [bestEnergySplit(values, { shortest }), slowSplit(values, shortest)];
    expect([fast?.index, fast?.end]).toEqual([slow.index, slow.end]);
    expect(fast?.strength).toBeCloseTo(slow.strength, 9);
  }
});

test('equal values and ties are no difference', () => {
  expect(bestEnergySplit([3, 3, 3, 3, 3, 3], { shortest: 2 })?.strength).toBe(0);
});

test('no part is shorter than it may be, and too few values have no split', () => {
  expect(bestEnergySplit([0, 9, 9, 9, 9, 9, 9], { shortest: 3 })?.index).toBeGreaterThanOrEqual(3);
  expect(bestEnergySplit([0, 0, 1, 1, 1], { shortest: 3 })).toBeNull();
});

test('a level that came and went splits where it came', () => {
  const values = [0, 1, 0, 1, 0, 9, 10, 9, 10, 9, 0, 1, 0, 1, 0];
  expect(bestEnergySplit(values, { shortest: 3 })).toMatchObject({ index: 5, end: 10 });
});

test('the last part alone may be shorter', () => {
  const values = [0, 1, 0, 1, 0, 1, 0, 1, 0, 9, 10];
  expect(bestEnergySplit(values, { shortest: 4, shortestLast: 2 })?.index).toBe(9);
  expect(bestEnergySplit(values, { shortest: 4 })?.index).toBeLessThanOrEqual(7);
});
