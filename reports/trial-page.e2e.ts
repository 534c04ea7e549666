/** The page of a trial in a real Chromium, opened from disk. */
import { expect, test } from '@playwright/test';
import { drawOnce } from './golden/draw-once.ts';
import { aTimedOutTrial, aTrialExample } from './golden/example-trial.ts';
import { useBrowser } from './golden/opened-page.ts';
import { testPage } from './golden/page-tests.ts';
import { renderTrial } from './trial.ts';

const openPage = useBrowser();
const render = drawOnce(renderTrial);

const example = aTrialExample();
const timedOut = aTimedOutTrial();

testPage({
  openPage,
  render,
  heading: example.caseName,
  example,
  hostileText: 'h1',
  forms: { completed: example, 'timed out': timedOut },
});

test('a trial shows its series, cores, threads, surroundings and attempts', async () => {
  const { page } = await openPage(await render(example));
  await expect(page.locator('.course svg')).toBeVisible();
  await expect(page.locator('.card figure svg').first()).toBeVisible();
  await expect(page.getByRole('row', { name: /CPU time of other programs/ })).toContainText('1.2');
  await expect(page.getByRole('row', { name: /^1 browser-died/ })).toContainText('ended by itself');
  await expect(page.getByRole('row', { name: /^duration/ })).toContainText('150 µs');
  await expect(page.getByRole('row', { name: /^heap/ })).toContainText('—');
});

test('a trial that gave nothing says why', async () => {
  const { page } = await openPage(await render(timedOut));
  await expect(page.locator('.lead')).toContainText('It ran out of time.');
  await expect(page.locator('.lead')).toContainText('said nothing for 30 s');
  await expect(page.locator('#cpu + p')).toContainText('No probe watched');
});

test('on a phone, too, a link leads back to the run', async () => {
  const viewport = { width: 390, height: 800 };
  const { page } = await openPage(await render(example), { viewport });
  await expect(page.getByRole('link', { name: 'Run 12' })).toBeVisible();
});
