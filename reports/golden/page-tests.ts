/** Tests that the page of every kind of report passes in a real Chromium. */
import { expect, test } from '@playwright/test';
import { poisoned } from './hostile.ts';
import { openDetails, pageWidth, problemsOfAxe, type Opened, type OpenPage } from './opened-page.ts';

/** Holds that a page asked for nothing, broke no rule of its policy, and ran nothing of a hostile string. */
export async function expectHarmless({ page, requests, complaints }: Opened): Promise<void> {
  if ((await page.locator('#download').count()) > 0) {
    await page.locator('#download a').first().waitFor({ state: 'attached' });
  }
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('main script, main img, main a[href^="javascript"]')).toHaveCount(0);
  // Folded sections and charts have text, too.
  const text = await page.locator('body').evaluate((body) => {
    for (const one of body.querySelectorAll('script, style')) one.remove();
    return body.textContent;
  });
  expect(text).not.toMatch(/[\u0000-\u0008\u000b\u000e-\u001f\u202a-\u202e\u2066-\u2069]/);
}

interface PageTests<Facts> {
  readonly openPage: OpenPage;
  readonly render: (facts: Facts) => Promise<string>;
  /** The text of `h1`, and facts of that report. */
  readonly heading: string;
  readonly example: Facts;
  /** Selects the element in which the payload is looked for. */
  readonly hostileText: string;
  /** Facts of every form of this report, by name, for axe. */
  readonly forms: Readonly<Record<string, Facts>>;
}

export function testPage<Facts>(tests: PageTests<Facts>): void {
  const { openPage, render, heading, example, hostileText, forms } = tests;

  test('the page requests nothing outside itself and breaks no rule of its policy', async () => {
    const opened = await openPage(await render(example));
    await expect(opened.page.locator('h1')).toHaveText(heading);
    await expectHarmless(opened);
  });

  for (const width of [320, 1280]) {
    test(`at ${String(width)} px hostile strings are shown as text, and do nothing`, async () => {
      const viewport = { width, height: 800 };
      const opened = await openPage(await render(poisoned(example)), { viewport });
      const { page } = opened;
      await openDetails(page);
      await expect(page.locator(hostileText)).toContainText('<script>window.owned=1</script>');
      expect(await page.locator('body').innerText()).toContain('redgnp.exe');
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
      await expectHarmless(opened);
    });
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, facts] of Object.entries(forms)) {
      test(`axe finds nothing in ${colorScheme} mode: ${name}`, async () => {
        const { page } = await openPage(await render(facts), { colorScheme });
        await openDetails(page);
        expect(await problemsOfAxe(page, colorScheme)).toEqual([]);
      });
    }
  }

  for (const width of [320, 390, 768, 1280]) {
    test(`at ${String(width)} px the page does not scroll sideways`, async () => {
      const { page } = await openPage(await render(example), { viewport: { width, height: 800 } });
      await openDetails(page);
      expect(await pageWidth(page)).toBeLessThanOrEqual(width);
    });
  }
}
