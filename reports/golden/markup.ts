import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';

/**
 * The markup of a page: without its stylesheet, script and data, which stand in every page or have tests
 * of their own, and without the policy, which has their hashes.
 */
export function markupIn(page: string): string {
  return page
    .replace(/(<(style|script)\b[^>]*>).*?(<\/\2>)/gs, '$1$3')
    .replace(/'sha256-[^']*'/g, "'sha256-…'");
}

/** Holds a page against its golden markup, which `UPDATE_GOLDEN=1` writes anew. */
export function expectGolden(page: string, name: string): void {
  const file = new URL(name, import.meta.url);
  const markup = markupIn(page);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, markup);
  const isSame = markup === readFileSync(file, 'utf8');
  expect(isSame, 'The report changed: look at it, then run with UPDATE_GOLDEN=1.').toBe(true);
}
