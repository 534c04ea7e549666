import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { psi, typicalLogRatio } from './typical-ratio.ts';

const differences = fc.array(
  fc.oneof(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -0.01, max: 0.01, noNaN: true }),
  ),
  { minLength: 1, maxLength: 40 },
);

test('the bets of both sides are even at the typical ratio', () => {
  fc.assert(
    fc.property(differences, (values) => {
      const centre = typicalLogRatio(values);
      return Math.abs(values.reduce((sum, d) => sum + psi(d - centre), 0)) < 1e-9;
    }),
    { seed: 1 },
  );
});

test('gives the mean of close values and the median of distant ones', () => {
  expect(typicalLogRatio([0.001, 0.002, 0.006])).toBeCloseTo(0.003, 12);
  expect(typicalLogRatio([-5, 0.1, 70])).toBeCloseTo(0.1, 12);
  expect(typicalLogRatio([0.3])).toBe(0.3);
});

test('gives the middle between two separate halves', () => {
  expect(typicalLogRatio([0, 0, 1, 1])).toBeCloseTo(0.5, 12);
});

test('gives the value of identical values', () => {
  for (const value of [0, 0.1, -3.3]) expect(typicalLogRatio([value, value, value])).toBe(value);
});

test('exchanging the sides turns the sign, shifting all values shifts it', () => {
  fc.assert(
    fc.property(differences, fc.double({ min: -1, max: 1, noNaN: true }), (values, shift) => {
      const centre = typicalLogRatio(values);
      const mirrored = typicalLogRatio(values.map((d) => -d));
      const moved = typicalLogRatio(values.map((d) => d + shift));
      return Math.abs(mirrored + centre) < 1e-12 && Math.abs(moved - centre - shift) < 1e-12;
    }),
    { seed: 1 },
  );
});

test('refuses an empty list and NaN', () => {
  expect(() => typicalLogRatio([])).toThrow(/no block difference/);
  expect(() => typicalLogRatio([NaN])).toThrow(/NaN/);
});
