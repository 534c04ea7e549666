import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { parseHTML } from 'linkedom';

/**
 * The markup of a page: without its stylesheet, script and data, which stand in every page or have tests
 * of their own, and without the policy, which has their hashes.
 */
export function markupIn(page: string): string {
  return page
    .replace(/(<(style|script)\b[^>]*>).*?(<\/\2>)/gs, '$1$3')
    .replace(/'sha256-[^']*'/g, "'sha256-…'");
}

/** Compares a page with its golden markup, which `UPDATE_GOLDEN=1` rewrites. */
export function expectGolden(page: string, name: string): void {
  const file = new URL(name, import.meta.url);
  const markup = markupIn(page);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, markup);
  const isSame = markup === readFileSync(file, 'utf8');
  expect(isSame, 'The report changed: look at it, then run with UPDATE_GOLDEN=1.').toBe(true);
}

/** Text as a reader has it: no tags, one space for any white space, no style, script or data. */
export function visibleWords(page: string): string {
  return page
    .replace(/<(style|script)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<title>.*?<\/title>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replace(/[\s\u00a0]+/g, ' ');
}

/** Text before the first fold of a page, without that of its pictures. */
export function wordsBeforeFold(page: string): readonly string[] {
  const [shown = ''] = page.split('<main>').slice(1).join('').split('<details');
  const [head = ''] = /<header>.*?<nav/s.exec(page) ?? [];
  const text = visibleWords((head + shown).replace(/<svg.*?<\/svg>|<h2[^>]*class="unseen".*?<\/h2>/gs, ''));
  return text.match(/[^\s]*[\p{L}\p{N}][^\s]*/gu) ?? [];
}

/** The embedded JSON of a page. */
export function parseData(page: string): unknown {
  const text = /<script type="application\/json" id="findings">(.*?)<\/script>/s.exec(page)?.[1];
  return JSON.parse(text ?? '');
}

/** The part of an element that tests read; this project does not load the DOM's types. */
export interface Part {
  textContent: string;
  querySelector(selector: string): Part | null;
  querySelectorAll(selector: string): Iterable<Part>;
}

/** Parses a report without a browser. */
export function parsePage(markup: string): Part {
  const { document } = parseHTML(markup) as unknown as { readonly document: Part };
  return document;
}
