/** The warm-up page in a real Chromium, opened from disk. */
import { expect, test } from '@playwright/test';
import { drawOnce } from './golden/draw-once.ts';
import { aWarmUp } from './golden/example-warm-up.ts';
import { useBrowser } from './golden/opened-page.ts';
import { testPage } from './golden/page-tests.ts';
import { renderWarmUp } from './warm-up.ts';

const openPage = useBrowser();
const render = drawOnce(renderWarmUp);

const example = aWarmUp();

testPage({
  openPage,
  render,
  heading: example.title,
  example,
  hostileText: 'h1',
  forms: { 'one trial': example },
});

test('at 320 px the chart is there', async () => {
  const viewport = { width: 320, height: 800 };
  const { page } = await openPage(await render(example), { viewport });
  await expect(page.locator('.course svg')).toBeVisible();
});
