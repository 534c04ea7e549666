/** The warm-up page in a real Chromium, opened from disk. */
import { expect, test } from '@playwright/test';
import { aWarmUp } from './golden/example-warm-up.ts';
import { useBrowser } from './golden/opened-page.ts';
import { testPage } from './golden/page-tests.ts';
import { renderWarmUp } from './warm-up.ts';

const openPage = useBrowser();

testPage({
  openPage,
  render: renderWarmUp,
  heading: aWarmUp().title,
  example: aWarmUp(),
  hostileText: 'h1',
  forms: { 'one trial': aWarmUp() },
});

test('at 320 px the chart is there', async () => {
  const viewport = { width: 320, height: 800 };
  const { page } = await openPage(await renderWarmUp(aWarmUp()), { viewport });
  await expect(page.locator('.course svg')).toBeVisible();
});
