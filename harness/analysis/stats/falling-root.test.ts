import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { fallingRoot } from './ratio-interval.ts';

const whole = { from: 0, to: 1 };

test('the root is found from its left, to the last digits', () => {
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

test('a function that is negative from the start, or nowhere, gives the end of the range', () => {
  expect(fallingRoot((x) => -1 - x, whole)).toBe(0);
  expect(fallingRoot((x) => 2 - x, whole)).toBe(1);
  expect(fallingRoot((x) => 5 - x, { from: 5, to: 5 })).toBe(5);
});

test('a range so narrow that no number lies between its ends is no endless search', () => {
  const from = 1e9;
  const to = from + 2e-7;
  const found = fallingRoot((x) => from + 1e-7 - x, { from, to });
  expect(found).toBeGreaterThanOrEqual(from);
  expect(found).toBeLessThanOrEqual(to);
});

test('fewer than twenty evaluations are enough where the function is nearly straight', () => {
  let evaluations = 0;
  fallingRoot((x) => {
    evaluations += 1;
    return 1 - Math.exp(3 * (x - 0.01));
  }, whole);
  expect(evaluations).toBeLessThan(20);
});
