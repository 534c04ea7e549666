/** The warm-up page in a real Chromium. */
import { existsSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, expect, test, type Browser } from '@playwright/test';
import { aWarmUp } from './golden/example-warm-up.ts';
import { renderWarmUp } from './warm-up.ts';

const system = '/usr/bin/chromium';
const executable = [system, chromium.executablePath()].find((file) => existsSync(file));
let browser: Browser;

test.skip(
  executable === undefined,
  `Neither ${system} nor Playwright’s own Chromium is installed.`,
);

test.beforeAll(async () => {
  if (executable === undefined) return;
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath: executable, args });
});

test.afterAll(async () => {
  await browser?.close();
});

const payload = `<script>window.owned=1</script><img src=x onerror="window.owned=1">"'\u202e`;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`in ${colorScheme} mode it fits 320 px, and axe finds nothing serious`, async () => {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 320, height: 800 },
    });
    const page = await context.newPage();
    await page.setContent(await renderWarmUp(aWarmUp()));
    expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(
      320,
    );
    await expect(page.locator('.course svg')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(
      ({ impact }) => impact === 'serious' || impact === 'critical',
    );
    expect(serious.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
    await context.close();
  });
}

test('hostile strings are shown as text, and do nothing', async () => {
  const page = await browser.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const strings = { title: payload, caseName: payload, metric: payload, unit: payload };
  const target = { id: payload, name: payload, browser: payload };
  await page.setContent(
    await renderWarmUp(aWarmUp({ ...strings, target, steadiness: payload, chosen: payload })),
  );
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests).toEqual([]);
  await expect(page.locator('h1')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('main script, main img')).toHaveCount(0);
  await page.close();
});
