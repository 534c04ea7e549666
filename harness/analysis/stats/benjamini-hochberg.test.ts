import { expect, test } from '@playwright/test';
import { benjaminiHochberg } from './benjamini-hochberg.ts';

test('golden: the fifteen p-values of the article', () => {
  // Benjamini & Hochberg (1995), section 3.2: four are rejected at 0.05.
  const ps = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
    0.6528, 0.759, 1,
  ];
  expect(benjaminiHochberg(ps, 0.05).filter(Boolean).length).toBe(4);
});

test('a p-value above its own step counts when a larger one below it does', () => {
  expect(benjaminiHochberg([0.04, 0.045, 0.9, 0.03], 0.1)).toEqual([true, true, false, true]);
});

test('answers stand in the order of the questions, and none is an answer to none', () => {
  expect(benjaminiHochberg([0.9, 0.001], 0.05)).toEqual([false, true]);
  expect(benjaminiHochberg([], 0.05)).toEqual([]);
});

test('what is no probability is refused', () => {
  expect(() => benjaminiHochberg([0.1, NaN], 0.05)).toThrow(/p-value is NaN/);
  expect(() => benjaminiHochberg([0.1], 0)).toThrow(/false discovery rate is 0/);
});
