/** The report in a real Chromium, opened from disk: what a reader, and what an attacker, would see. */
import { readFileSync } from 'node:fs';
import { expect, test, type BrowserContextOptions } from '@playwright/test';
import { renderComparison } from './comparison.ts';
import type { Findings } from './findings.ts';
import { anExample } from './golden/example.ts';
import { poisoned } from './golden/hostile.ts';
import { aLargeExample } from './golden/large-example.ts';
import {
  openDetails,
  pageWidth,
  seriousProblems,
  useBrowser,
  type Opened,
} from './golden/opened-page.ts';
import { aPairExample } from './golden/pair-example.ts';

const openPage = useBrowser();

async function open(findings: Findings, options?: BrowserContextOptions): Promise<Opened> {
  return openPage(await renderComparison(findings), options);
}

test('the report asks for nothing outside itself and breaks no rule of its own policy', async () => {
  const { page, requests, complaints } = await open(anExample());
  await expect(page.locator('h1')).toHaveText('Quick suite on three engines');
  await expect(page.locator('#download a')).toBeVisible();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('hostile strings everywhere are shown as text, and do nothing', async () => {
  const { page, requests, complaints } = await open(poisoned(anExample()));
  await openDetails(page);
  await page.locator('#download a').waitFor();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('h1')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('main script, main img, main a[href^="javascript"]')).toHaveCount(0);
  const text = await page.locator('body').innerText();
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
  expect(text).toContain('redgnp.exe');
  expect(await pageWidth(page)).toBeLessThanOrEqual(1280);
});

test('hostile strings do nothing in a comparison of one pair either', async () => {
  const { page, requests, complaints } = await open(poisoned(aPairExample()));
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('.verdict')).toContainText('slower');
});

test('the data survive hostile strings unchanged', async () => {
  // With all its payloads the whole example would be long enough to be compressed.
  const findings = poisoned({ ...anExample(), rows: [], growth: [], cpu: [] });
  const { page } = await open(findings);
  const text = await page.locator('#findings').evaluate((element) => element.textContent);
  const data = JSON.parse(text ?? '') as Findings;
  expect(data.title).toBe(findings.title);
  expect(data.troubles).toEqual(findings.troubles);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [what, findings] of [
    ['a table', anExample()],
    ['one pair', aPairExample()],
  ] as const) {
    test(`axe finds nothing serious in ${colorScheme} mode in the report of ${what}`, async () => {
      const { page } = await open(findings, { colorScheme });
      await openDetails(page);
      expect(await seriousProblems(page)).toEqual([]);
    });
  }
}

test('at 320 px a comparison of one pair does not scroll sideways, and its chart is whole', async () => {
  const { page } = await open(aPairExample(), { viewport: { width: 320, height: 800 } });
  expect(await pageWidth(page)).toBeLessThanOrEqual(320);
  expect((await page.locator('.course svg').boundingBox())?.width).toBeLessThanOrEqual(320);
});

for (const width of [320, 360, 768, 1280]) {
  test(`at ${String(width)} px the page does not scroll sideways`, async () => {
    const { page } = await open(anExample(), { viewport: { width, height: 800 } });
    await openDetails(page);
    expect(await pageWidth(page)).toBeLessThanOrEqual(width);
  });
}

test('without JavaScript all tables and charts are there, and nothing else is lost', async () => {
  const { page, complaints } = await open(anExample(), { javaScriptEnabled: false });
  await expect(page.locator('.growth .plot')).toHaveCount(5);
  await expect(page.locator('svg.s').first()).toBeVisible();
  await expect(page.locator('button')).toHaveCount(0);
  await page.locator('details.case summary').first().click();
  await expect(page.locator('.card').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('with the keyboard one can skip to the findings and scroll a wide table', async () => {
  const { page } = await open(anExample(), { viewport: { width: 320, height: 800 } });
  await page.keyboard.press('Tab');
  await expect(page.locator('.skip')).toBeFocused();
  const region = page.getByRole('region', { name: 'Fibonacci: medians by case and target' });
  await region.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('on paper, closed details are open and the colours are the light ones', async () => {
  const { page } = await open(anExample(), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.card').first()).toBeVisible();
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(29, 33, 38)');
});

test('the command can be copied', async () => {
  const { page } = await open(anExample());
  const button = page.getByRole('button', { name: 'Copy the command' }).first();
  await button.click();
  await expect(button).toHaveText(/^(Copied|Selected: press Ctrl\+C)$/);
});

for (const [size, findings] of [
  ['small', anExample()],
  ['compressed', aLargeExample({ targets: 10, cases: 120, trials: 30 })],
] as const) {
  test(`the data of a ${size} report can be downloaded as JSON`, async () => {
    const { page } = await open(findings);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#download a').click(),
    ]);
    expect(download.suggestedFilename()).toBe('crossfarm-run-12.json');
    const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as Findings;
    expect(data.rows).toHaveLength(findings.rows.length);
  });
}
