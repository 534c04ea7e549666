/** The visitor's page, served as `farm serve` does it. */
import { expect, test, type Locator, type Page } from '@playwright/test';
import { openExplorer, type OpenExplorer } from '../../harness/features/explorer/serve.ts';
import { addVisits } from '../../harness/features/remote/visit-routes.ts';
import { pagesFolder } from '../../harness/core/project.ts';
import { startPageServer } from '../../harness/core/server/page-server.ts';
import { problemsOfAxe, useChromium } from '../../reports/golden/opened-page.ts';
import { expectToFit } from '../../reports/golden/page-tests.ts';

const browser = useChromium();

let served: OpenExplorer;
let errors: string[];

test.beforeEach(async () => {
  const database = test.info().outputPath('farm.db');
  const options = { database, port: 0, pages: pagesFolder(), visits: addVisits };
  served = await openExplorer(options);
  errors = [];
});

test.afterEach(async () => {
  await served.close();
  expect(errors).toEqual([]);
});

async function openTry(origin = served.benchmarks): Promise<Page> {
  const page = await (await browser().newContext()).newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${origin}/fib/try.html`);
  await expect(box(page, 'syncFib')).toBeChecked();
  return page;
}

async function choose(page: Page, names: readonly string[], n: number): Promise<void> {
  for (const one of await page.locator('#functions input').all()) await one.uncheck();
  for (const name of names) await box(page, name).check();
  await page.getByLabel('n up to').fill(String(n));
}

/** Chooses a function. */
const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: new RegExp(`^${name} `) });
const run = (page: Page) => page.getByRole('button', { name: 'Run' });
const queued = (page: Page) => page.locator('#queue li');

test('calls a chosen function for every n and shows the cores', async () => {
  const page = await openTry();
  await expect(page.getByRole('img', { name: /^core 0: \d+ % busy now/ })).toBeVisible();
  await expect(page.locator('#cores-now')).toHaveText(/^\d+\.\d\d of \d+ cores of the farm’s/);
  await choose(page, ['syncFib'], 4);
  await run(page).click();
  await expect(page.locator('#status')).toHaveText(/^Done: syncFib\(4\) takes \S+ (ns|µs|ms)\.$/);
  await expect(page.locator('#curves circle')).toHaveCount(4);
  await choose(page, ['asyncFib'], 4);
  await page.getByLabel('Place').selectOption('main thread');
  await run(page).click();
  await expect(page.locator('#status')).toHaveText(/^Done: asyncFib\(4\)/);
  await expect(queued(page)).toContainText(['● syncFib, worker', '● asyncFib, main thread']);
  await expect(page.locator('#values tr')).toHaveCount(8);
  await expect(page.locator('#curves circle title').first()).toHaveText(
    /^syncFib\(1\), worker: \S+ \S+$/,
  );
});

test('one of two queued functions is cancelled, and the other kept as a run', async () => {
  const page = await openTry();
  // Long enough to be cancelled before it ends.
  await choose(page, ['syncMemoFib'], 1476);
  await run(page).click();
  await choose(page, ['syncFib'], 3);
  await run(page).click();
  await expect(queued(page)).toContainText(['running', 'queued, n ≤ 3']);
  await page.getByRole('button', { name: 'Cancel syncMemoFib, worker' }).click();
  await expect(queued(page).first()).toContainText('cancelled');
  await expect(page.locator('#status')).toHaveText(/^Done: syncFib\(3\)/);
  await expect(page.locator('#keepable')).toHaveText('1 curve can be kept: syncFib.');
  const keep = page.getByRole('button', { name: 'Keep' });
  await expect(keep).toBeDisabled();
  await page.getByLabel('I agree that this is stored').check();
  await page.getByLabel('Name of this device').fill('My laptop');
  await keep.click();
  await expect(page.locator('#kept')).toHaveText('Kept as run 1 of this farm.');
  await expect(queued(page).last()).toContainText('kept in run 1');
  const answer = await fetch(`${served.origin}/api/v1/summaries?benchmark=fib`);
  const { summaries } = (await answer.json()) as { summaries: { case: string }[] };
  expect(summaries.map((one) => one.case).sort()).toEqual(
    [1, 2, 3].map((n) => `fib function=syncFib n=${String(n)} place=worker`),
  );
  expect(summaries[0]).toMatchObject({ device: 'visitor-my-laptop', driver: 'attended' });
  const link = page.getByRole('link', { name: 'run 1' });
  await expect(link).toHaveAttribute('href', `${served.origin}/runs/1`);
});

test('functions run at one time, and what shared the cores is not kept', async () => {
  const page = await openTry();
  await choose(page, ['syncFib', 'asyncFib'], 3);
  await page.getByLabel('Order').selectOption('at one time, a worker each');
  await run(page).click();
  await expect(queued(page)).toContainText(['running', 'running']);
  await expect(queued(page)).toContainText(['n = 3:', 'n = 3:']);
  await expect(page.locator('#keepable')).toContainText('2 curves that ran beside others');
  await expect(page.getByRole('button', { name: 'Keep' })).toBeHidden();
});

/** Presses Tab until the focus is there. */
async function tabTo(page: Page, to: Locator): Promise<void> {
  const isThere = (): Promise<boolean> =>
    to.evaluate((one) => one === one.ownerDocument.activeElement);
  while (!(await isThere())) await page.keyboard.press('Tab');
}

test('the keyboard alone chooses, runs, cancels and keeps', async () => {
  const page = await openTry();
  await tabTo(page, box(page, 'asyncFib'));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByLabel('n up to'));
  await page.keyboard.type('50');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: /^Cancel syncFib/ }));
  await page.keyboard.press('Enter');
  await expect(queued(page).first()).toContainText('cancelled');
  await expect(run(page)).toBeFocused();
  await tabTo(page, page.getByLabel('n up to'));
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await expect(page.locator('#keepable')).toHaveText('1 curve can be kept: syncFib.');
  await tabTo(page, page.getByLabel('I agree that this is stored'));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByLabel('Name of this device'));
  await page.keyboard.type('My laptop');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'run 1' })).toBeFocused();
});

test('without a farm behind it the page runs, and offers to keep nothing', async () => {
  const plain = await startPageServer({ pages: pagesFolder(), port: 0 });
  try {
    const page = await openTry(plain.origin);
    await choose(page, ['syncFib'], 2);
    await run(page).click();
    await expect(page.locator('#status')).toHaveText(/^Done: syncFib\(2\)/);
    await expect(page.locator('#cores-now')).toHaveText(/^CPU pressure of this device, as its/);
    await expect(page.locator('#keep')).toBeHidden();
  } finally {
    await plain.close();
  }
});

test('axe finds nothing, and nothing scrolls sideways, with a curve to keep', async () => {
  const page = await openTry();
  await choose(page, ['syncFib', 'syncMemoFib'], 2);
  await run(page).click();
  await expect(page.locator('#keepable')).toContainText('2 curves can be kept');
  await page.getByText('All values').click();
  expect(await problemsOfAxe(page, 'light')).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOfAxe(page, 'dark')).toEqual([]);
  await expectToFit(page, [1400, 768, 390, 320]);
});

test('the first page leads there', async () => {
  const page = await browser().newPage();
  await page.goto(`${served.origin}/`);
  const link = page.getByRole('link', { name: 'Draw its curves here' });
  await expect(link).toHaveAttribute('href', `${served.benchmarks}/fib/try.html`);
  await page.close();
});
