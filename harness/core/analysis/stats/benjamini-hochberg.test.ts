import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { benjaminiHochberg, eBh, pValueOfLogE } from './benjamini-hochberg.ts';
import { StatisticsRefusal } from './refusal.ts';

test('golden: the fifteen p-values of the article', () => {
  // Benjamini & Hochberg (1995), section 3.2: four are rejected at 0.05.
  const ps = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
    0.6528, 0.759, 1,
  ];
  expect(benjaminiHochberg(ps, 0.05).filter(Boolean).length).toBe(4);
});

test('counts a p-value above its step if a larger one is below', () => {
  expect(benjaminiHochberg([0.04, 0.045, 0.9, 0.03], 0.1)).toEqual([true, true, false, true]);
});

test('keeps the order of the input, and gives none for none', () => {
  expect(benjaminiHochberg([0.9, 0.001], 0.05)).toEqual([false, true]);
  expect(benjaminiHochberg([], 0.05)).toEqual([]);
});

test('refuses numbers that are not probabilities', () => {
  expect(() => benjaminiHochberg([0.1, NaN], 0.05)).toThrow(/p-value is NaN/);
  expect(() => benjaminiHochberg([0.1], 0)).toThrow(/false discovery rate is 0/);
});

/** Slow twin, word for word from the paper: the largest set of k whose smallest e-value is at least K / (k α). */
function slowly(eValues: readonly number[], level: number): boolean[] {
  const table = eValues.length;
  for (let k = table; k >= 1; k -= 1) {
    const threshold = table / (k * level);
    const large = eValues.filter((e) => e >= threshold).length;
    if (large >= k) return eValues.map((e) => e >= threshold);
  }
  return eValues.map(() => false);
}

test('the slow twin, straight from the definition, rejects the same', () => {
  const eValue = fc.oneof(
    fc.double({ min: 0, max: 300, noNaN: true }),
    fc.constantFrom(0, 20, 40, 60, 80),
  );
  fc.assert(
    fc.property(fc.array(eValue, { maxLength: 12 }), (values) => {
      const fast = eBh(values.map(Math.log), 0.05);
      // A hair above and below, since ln(e) and ln(K / kα) may round differently in a tie.
      const loose = slowly(
        values.map((e) => e * (1 + 1e-12)),
        0.05,
      );
      const strict = slowly(
        values.map((e) => e * (1 - 1e-12)),
        0.05,
      );
      return fast.every((seen, index) => seen === loose[index] || seen === strict[index]);
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test('one comparison is rejected from 1/α on', () => {
  expect(eBh([Math.log(20.01)], 0.05)).toEqual([true]);
  expect(eBh([Math.log(19.99)], 0.05)).toEqual([false]);
});

test('many true effects lower the threshold for each other', () => {
  const alone = [25, 1, 1, 1].map(Math.log);
  const together = [25, 25, 25, 25].map(Math.log);
  expect(eBh(alone)).toEqual([false, false, false, false]);
  expect(eBh(together)).toEqual([true, true, true, true]);
});

test('accepts an e-value of 0 and one beyond every number', () => {
  expect(eBh([-Infinity, Infinity])).toEqual([false, true]);
});

test('gives an empty answer for an empty table', () => {
  expect(eBh([])).toEqual([]);
});

test('refuses NaN and levels outside 0 … 1', () => {
  expect(() => eBh([1, NaN])).toThrow(StatisticsRefusal);
  expect(() => eBh([1], 0)).toThrow(StatisticsRefusal);
});

test('an e-value of 40 is a p-value of 1/40, below 1 nothing', () => {
  expect(pValueOfLogE(Math.log(40))).toBeCloseTo(0.025, 12);
  expect(pValueOfLogE(-3)).toBe(1);
  expect(pValueOfLogE(5000)).toBe(0);
});
