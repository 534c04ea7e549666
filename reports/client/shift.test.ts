import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { shiftInterval } from '../../harness/core/analysis/stats/shift-interval.ts';
import { shiftOf } from './shift.js';

const trials = fc.array(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), {
  minLength: 1,
  maxLength: 30,
});

test('the ratio and its interval are those that the harness computes for two runs', () => {
  fc.assert(
    fc.property(trials, trials, fc.constantFrom(0.9, 0.95, 0.99), (a, b, wanted) => {
      const [logA, logB] = [a.map(Math.log), b.map(Math.log)];
      const { shift, low, high, confidence } = shiftInterval(logA, logB, wanted);
      const found = shiftOf(a, b, wanted);
      expect(Math.log(found.ratio)).toBeCloseTo(shift, 9);
      expect('why' in found).toBe(confidence < wanted);
      if ('why' in found) return;
      expect(Math.log(found.low)).toBeCloseTo(low, 9);
      expect(Math.log(found.high)).toBeCloseTo(high, 9);
    }),
  );
});

test('three trials against three are too few, a thousand too many', () => {
  const [few, many] = [3, 1000].map((length) => Array.from({ length }, (_, i) => i + 1));
  expect(shiftOf(few!, few!, 0.95)).toMatchObject({
    why: expect.stringMatching(/^3 against 3 trials.*too few/) as unknown,
  });
  expect(shiftOf(many!, many!, 0.95)).toEqual({
    ratio: 1,
    why: expect.stringMatching(/^too many trials/),
  });
});
