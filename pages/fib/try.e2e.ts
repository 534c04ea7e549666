/** The visitor's page, served as `farm serve` does it. */
import { expect, test } from '@playwright/test';
import { openExplorer, type OpenExplorer } from '../../harness/features/explorer/serve.ts';
import { pagesFolder } from '../../harness/core/project.ts';
import { useChromium } from '../../reports/golden/opened-page.ts';

const browser = useChromium();

let served: OpenExplorer;

test.beforeEach(async () => {
  const database = test.info().outputPath('farm.db');
  served = await openExplorer({ database, port: 0, pages: pagesFolder() });
});

test.afterEach(() => served.close());

test('calls a chosen function for every n and shows the cores', async () => {
  const page = await browser().newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${served.benchmarks}/fib/try.html`);
  await expect(page.getByRole('meter').first()).toBeVisible();
  await expect(page.locator('#cores p')).toHaveText(/^\d+\.\d\d of \d+ cores busy$/);
  await page.getByLabel('Function').selectOption('syncFib');
  await page.getByLabel('n up to').fill('4');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.locator('#status')).toHaveText(/^Done: syncFib\(4\) takes .* ms\.$/);
  await expect(page.locator('#curves circle')).toHaveCount(4);
  await page.getByLabel('Function').selectOption('asyncFib');
  await page.getByLabel('Place').selectOption('main');
  await page.getByRole('button', { name: 'Run' }).click();
  await expect(page.locator('#status')).toHaveText(/^Done: asyncFib\(4\)/);
  await expect(page.locator('#legend li')).toHaveText([
    '● syncFib, worker',
    '● asyncFib, main thread',
  ]);
  await expect(page.locator('#values tr')).toHaveCount(8);
  expect(errors).toEqual([]);
  await page.close();
});

test('the first page leads there', async () => {
  const page = await browser().newPage();
  await page.goto(`${served.origin}/`);
  const link = page.getByRole('link', { name: 'Draw its curves here' });
  await expect(link).toHaveAttribute('href', `${served.benchmarks}/fib/try.html`);
  await page.close();
});
