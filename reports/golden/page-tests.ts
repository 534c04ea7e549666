/** Tests that the page of every kind of report passes in a real Chromium. */
import { expect, test, type Page } from '@playwright/test';
import { poisoned } from './hostile.ts';
import { openDetails, pageWidth, problemsOfAxe, type OpenedPage, type OpenPage } from './opened-page.ts';

/** Holds that a page asked for nothing, broke no rule of its policy, and ran nothing of a hostile string. */
export async function expectHarmless({ page, requests, complaints }: OpenedPage): Promise<void> {
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

/** Holds that a page, as it is drawn now, does not scroll sideways on screens of these widths. */
export async function expectToFit(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect(await pageWidth(page), `${String(width)} px`).toBeLessThanOrEqual(width);
  }
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

  test('hostile strings are shown as text, and do nothing, on any screen', async () => {
    const opened = await openPage(await render(poisoned(example)));
    const { page } = opened;
    await openDetails(page);
    await expect(page.locator(hostileText)).toContainText('<script>window.owned=1</script>');
    for (const width of [1280, 320]) {
      await expectToFit(page, [width]);
      expect(await page.locator('body').innerText()).toContain('redgnp.exe');
    }
    await expectHarmless(opened);
  });

  for (const [name, facts] of Object.entries(forms)) {
    test(`axe finds nothing, in light mode or in dark mode: ${name}`, async () => {
      const { page } = await openPage(await render(facts), { colorScheme: 'light' });
      await openDetails(page);
      expect(await problemsOfAxe(page, 'light')).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await problemsOfAxe(page, 'dark')).toEqual([]);
    });
  }

  test('the page does not scroll sideways, from 320 to 1280 px', async () => {
    const { page } = await openPage(await render(example));
    await openDetails(page);
    await expectToFit(page, [1280, 768, 390, 320]);
  });
}
