import { test, expect } from '@playwright/test';
import { jump, spin } from './spin.js';

test('the loop gives what the composed map gives', () => {
  for (const rounds of [0, 1, 2, 3, 10, 999, 100_000]) expect(spin(rounds)).toBe(jump(rounds));
});

test('continues from the result of another call', () => {
  expect(spin(500, spin(499))).toBe(jump(999));
});

test('one round more gives another value', () => {
  expect(spin(1000)).not.toBe(spin(1001));
});
