/** The evidence in a real Chromium, opened from disk. */
import { expect, test, type BrowserContextOptions } from '@playwright/test';
import { renderEvidence } from './evidence-page.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { drawOnce } from '../../../reports/golden/draw-once.ts';
import { anEvidence, anUntestable } from '../../../reports/golden/evidence-example.ts';
import { useBrowser, type OpenedPage } from '../../../reports/golden/opened-page.ts';
import { testPage } from '../../../reports/golden/page-tests.ts';

const openPage = useBrowser();
const render = drawOnce(renderEvidence);

const example = anEvidence();

async function open(
  evidence: EvidenceFindings,
  options?: BrowserContextOptions,
): Promise<OpenedPage> {
  return openPage(await render(evidence), options);
}

testPage({
  openPage,
  render,
  heading: 'Claim A4: confirmed',
  example,
  hostileText: 'blockquote',
  forms: { 'tested claim': example, 'untestable claim': anUntestable() },
});

test('the verdict is on the first screen of a phone', async () => {
  const { page } = await open(example, { viewport: { width: 390, height: 844 } });
  await expect(page.locator('.answer').first()).toBeInViewport();
});

test('without JavaScript the charts and the schedule are there', async () => {
  const { page, complaints } = await open(example, { javaScriptEnabled: false });
  await expect(page.locator('.forest')).toHaveCount(6);
  await expect(page.locator('.lanes').first()).toBeVisible();
  await expect(page.locator('button')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test("a chart's text has one size on phones and wide screens", async () => {
  const { page } = await open(example, { viewport: { width: 320, height: 800 } });
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
  const { page } = await open(example, { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.card').first()).toBeVisible();
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(29, 33, 38)');
});
