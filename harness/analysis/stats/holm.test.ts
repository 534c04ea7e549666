import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { holm, pValueOfLogE } from './benjamini-hochberg.ts';
import { StatisticsRefusal } from './refusal.ts';

/** Slow twin: the closed test. i is rejected when every subset with i is rejected by Bonferroni. */
function slowly(pValues: readonly number[], level: number): boolean[] {
  const subsets = Array.from({ length: 2 ** pValues.length }, (_, bits) =>
    pValues.filter((_p, index) => (bits >> index) & 1),
  );
  return pValues.map((_, index) =>
    subsets.every((subset, bits) => {
      const holdsIt = ((bits >> index) & 1) === 1;
      return !holdsIt || Math.min(...subset) * subset.length <= level;
    }),
  );
}

test('the slow twin, a closed test over all subsets, rejects the same', () => {
  const p = fc.oneof(fc.double({ min: 0, max: 0.1, noNaN: true }), fc.constantFrom(0, 0.01, 1));
  fc.assert(
    fc.property(fc.array(p, { maxLength: 7 }), (values) => {
      const fast = holm(values, 0.05).map(({ rejected }) => rejected);
      return fast.every((rejected, index) => rejected === slowly(values, 0.05)[index]);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('the example of a textbook', () => {
  const results = holm([0.01, 0.04, 0.03, 0.005], 0.05);
  expect(results.map(({ rejected }) => rejected)).toEqual([true, false, false, true]);
  const adjusted = [0.03, 0.06, 0.06, 0.02];
  results.forEach(({ adjustedP }, index) => expect(adjustedP).toBeCloseTo(adjusted[index]!, 12));
});

test('adjusted p-values never exceed 1, and an empty table gives an empty answer', () => {
  expect(holm([0.9, 0.8]).map(({ adjustedP }) => adjustedP)).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});

test('an e-value of 40 is a p-value of 1/40, and one below 1 says nothing', () => {
  expect(pValueOfLogE(Math.log(40))).toBeCloseTo(0.025, 12);
  expect(pValueOfLogE(-3)).toBe(1);
  expect(pValueOfLogE(5000)).toBe(0);
});

test('what is no probability is refused', () => {
  for (const p of [NaN, -0.1, 1.1]) expect(() => holm([p])).toThrow(StatisticsRefusal);
});
