import { expect, test } from '@playwright/test';
import { findEngineProduct, families, findFamily, listProducts } from './family.ts';

test('every product of a family is of that family and of no other', () => {
  for (const family of families) {
    for (const product of listProducts(family)) expect(findFamily(product)).toBe(family);
  }
});

test('a program of which only its owner knows what it is has no family', () => {
  expect(findFamily('program')).toBeNull();
  expect(findFamily('program', 'chromium-based')).toBe('chromium-based');
});

test("knows a program's processes by its declared engine's names", () => {
  const target = { device: {}, browser: { name: 'program' } };
  expect(findEngineProduct(target)).toBe('program');
  const built = { ...target, device: { family: 'chromium-based' as const } };
  expect(findEngineProduct(built)).toBe('chromium');
});
