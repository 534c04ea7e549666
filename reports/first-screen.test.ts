/** What a report shows before anything is unfolded or pointed at. */
import { expect, test } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import { drawOnce } from './golden/draw-once.ts';
import { anExample } from './golden/example.ts';
import { parsePage, wordsBeforeFold } from './golden/markup.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aVersionsExample } from './golden/versions-example.ts';

const render = drawOnce(renderComparison);
const example = anExample();

for (const [what, findings] of [
  ['versions of a page', aVersionsExample()],
  ['one pair', aPairExample()],
] as const) {
  test(`a comparison of ${what} has at most 150 words before the first fold`, async () => {
    const words = wordsBeforeFold(await render(findings));
    expect(words.length, words.join(' ')).toBeLessThanOrEqual(150);
    expect(words.length).toBeGreaterThan(50);
  });
}

test('shows the five largest differences, and folds the others', async () => {
  const page = parsePage(await render(example));
  const forest = page.querySelector('figure.forest.compact')!;
  expect([...forest.querySelectorAll('li')]).toHaveLength(24);
  expect([...forest.querySelectorAll('details li')]).toHaveLength(19);
  expect(forest.querySelector('summary')?.textContent).toBe('19 more');
});

test('each picture has a tooltip, and marks of differences lead to their case', async () => {
  const page = parsePage(await render(example));
  const drawn = [...page.querySelectorAll('svg:has(path, circle):not(.swatch)')];
  expect(drawn.length).toBeGreaterThan(100);
  expect(drawn.filter((svg) => svg.querySelector('title') === null)).toHaveLength(0);
  expect(page.querySelector('.forest a title')?.textContent).toMatch(
    /^measured 3\.\d+× \(.+ … .+\)$/,
  );
  const links = [...page.querySelectorAll('.forest svg a, .growth svg a')];
  expect(links.length).toBeGreaterThan(100);
  const strip = page.querySelector('#row-1 svg.s title')?.textContent;
  expect(strip).toMatch(/^Chromium: [\d.]+\sms \([\d.]+–[\d.]+\sms\), 9 trials$/);
});
