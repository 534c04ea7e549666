/** The evidence in a real Chromium, opened from disk. */
import { expect, test, type BrowserContextOptions } from '@playwright/test';
import { renderEvidence } from './evidence.ts';
import type { EvidenceFindings } from './findings.ts';
import { anEvidence, anUntestable } from './golden/evidence-example.ts';
import { poisoned } from './golden/hostile.ts';
import {
  openDetails,
  pageWidth,
  seriousProblems,
  useBrowser,
  type Opened,
} from './golden/opened-page.ts';

const openPage = useBrowser();

async function open(evidence: EvidenceFindings, options?: BrowserContextOptions): Promise<Opened> {
  return openPage(await renderEvidence(evidence), options);
}

test('the evidence asks for nothing outside itself and breaks no rule of its own policy', async () => {
  const { page, requests, complaints } = await open(anEvidence());
  await expect(page.locator('h1')).toHaveText('Claim A4');
  await expect(page.locator('#download a')).toBeVisible();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('hostile strings everywhere are shown as text, and do nothing', async () => {
  const { page, requests, complaints } = await open(poisoned(anEvidence()));
  await openDetails(page);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('blockquote')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('main script, main img, main a[href^="javascript"]')).toHaveCount(0);
  expect(await pageWidth(page)).toBeLessThanOrEqual(1280);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [what, evidence] of [
    ['a tested claim', anEvidence()],
    ['an untestable one', anUntestable()],
  ] as const) {
    test(`axe finds nothing serious in ${colorScheme} mode in the evidence of ${what}`, async () => {
      const { page } = await open(evidence, { colorScheme });
      await openDetails(page);
      expect(await seriousProblems(page, colorScheme)).toEqual([]);
    });
  }
}

for (const width of [320, 390, 768, 1280]) {
  test(`at ${String(width)} px the page does not scroll sideways`, async () => {
    const { page } = await open(anEvidence(), { viewport: { width, height: 800 } });
    await openDetails(page);
    expect(await pageWidth(page)).toBeLessThanOrEqual(width);
  });
}

test('the verdict stands on the first screen of a phone', async () => {
  const { page } = await open(anEvidence(), { viewport: { width: 390, height: 844 } });
  await expect(page.locator('.answer').first()).toBeInViewport();
});

test('without JavaScript the charts and the schedule are there', async () => {
  const { page, complaints } = await open(anEvidence(), { javaScriptEnabled: false });
  await expect(page.locator('.forest')).toHaveCount(6);
  await expect(page.locator('.lanes').first()).toBeVisible();
  await expect(page.locator('button')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('the text of a chart is as large on a phone as on a wide screen, and stays inside', async () => {
  const { page } = await open(anEvidence(), { viewport: { width: 320, height: 800 } });
  const expectReadable = async () => {
    const texts = await page.locator('.line text, .lanes > text').filter({ visible: true }).all();
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const box = await text.boundingBox();
      expect(box?.height).toBeGreaterThan(11);
      expect(box!.x).toBeGreaterThanOrEqual(0);
      expect(box!.x + box!.width).toBeLessThanOrEqual(320);
    }
  };
  await expectReadable();
  await page.getByLabel('linear axis').first().check();
  await expectReadable();
});

test('on paper the colours are the light ones, and the schedule is shown', async () => {
  const { page } = await open(anEvidence(), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.card').first()).toBeVisible();
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(29, 33, 38)');
});
