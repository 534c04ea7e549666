/** The analysis in the explorer: ratios, verdicts, failures, changes over the nights. */
import { expect, test } from '@playwright/test';
import { openStore } from '../harness/core/store/store.ts';
import { anAnomaly } from '../harness/testing/builders.ts';
import { aStoredHistory, storeNight } from '../harness/testing/stored-history.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { problemsOfAxe } from './golden/opened-page.ts';
import { expectToFit } from './golden/page-tests.ts';

const screen = 'http://192.0.2.7:40000/invite/abc';

/** Two nights with too few blocks for verdicts, and run 3 with enough. */
async function threeNights(): Promise<string> {
  const path = await aStoredHistory();
  const store = await openStore(path);
  await storeNight(store, { startedAt: '2026-11-22T00:00:00.000Z', blocks: 12 });
  await store.close();
  return path;
}

const { complaints, newPage, open, origin, rows, serveOwn } = useExplorer({
  database: threeNights,
  joining: () => ({ screen }),
});

test('a run shows ratios to a baseline that the reader can change', async () => {
  const page = await open();
  const row = page.getByRole('row', { name: /syncFib n=12.*puppeteer/ }).first();
  await expect(row).toContainText(/▼ slower 1\.\d+×/);
  const other = page.getByRole('row', { name: /=syncFib n=12.*chromium/ });
  await expect(other).toContainText('baseline');
  await expect(page.locator('#ratios')).toContainText('within ± 2');
  await page.locator('#baseline').selectOption('firefox');
  await expect(other).toContainText(/▲ faster 0\.\d+×/);
  await expect(page).toHaveURL(/baseline=firefox/);
  await page.goBack();
  await expect(row).toContainText('▼ slower');
  expect(complaints()).toEqual([]);
});

test('the numbers are those of the report, digit for digit', async () => {
  const page = await open();
  const answered = (await (await fetch(`${origin()}/api/v1/runs/3/findings`)).json()) as {
    pairs: { words: { ratio: string; interval: string } }[];
  };
  expect(answered.pairs).toHaveLength(6);
  for (const { words } of answered.pairs) {
    await expect(rows(page).filter({ hasText: words.ratio }).first()).toContainText(words.interval);
  }
});

test('says how many blocks a verdict takes where there are too few', async () => {
  const page = await open('?run=2');
  const row = page.getByRole('row', { name: /=asyncFib n=12.*puppeteer/ });
  await expect(row).toContainText(/\? undecided 1\.\d+×3 of \d+ blocks/);
});

test('failures, growth and cautions are folded below the table', async () => {
  const page = await open('?run=2');
  const failures = page.locator('.fold', { hasText: 'Failures: 1 trial' });
  await failures.locator('summary').click();
  await expect(failures).toContainText('✗ failed 1 trial of fib function=syncFib n=10');
  await expect(failures).toContainText('<script>window.owned=1</script>');
  await page.locator('.fold summary', { hasText: 'What to know of this run' }).click();
  await expect(page.locator('#folds')).toContainText('Only 3 trials of each case');
  await page.locator('.fold summary', { hasText: 'Growth' }).click();
  await expect(page.locator('#folds')).toContainText(/× for each step of n/);
  expect(await problemsOfAxe(page)).toEqual([]);
  expect(complaints()).toEqual([]);
});

test('marks a change over nights in the chart and lists it', async () => {
  const own = await serveOwn(aStoredHistory);
  for (let night = 0; night < 14; night += 1) {
    const startedAt = `2026-12-${String(night + 1).padStart(2, '0')}T00:00:00.000Z`;
    const slower = (night < 7 ? 2 : 3) * (1 + 0.01 * Math.sin(night * 7));
    await storeNight(own.store, { startedAt, slower, blocks: 1 });
  }
  const page = await own.open('?case=fib+function%3DsyncFib+n%3D12&browser=chromium');
  const changes = page.getByRole('region', { name: 'Changes of level' });
  await expect(changes).toContainText('1.5×');
  await expect(changes).toContainText('2026-12-08, run 10');
  await expect(changes).toContainText('settled');
  await expect(page.locator('#changes')).toContainText('medians of 16 runs');
  await expect(page.locator('.panel svg line[stroke^=var]')).not.toHaveCount(0);
  expect(await problemsOfAxe(page)).toEqual([]);
  expect(complaints()).toEqual([]);
});

test('too few nights are reported', async () => {
  const page = await open('?case=fib+function%3DsyncFib+n%3D12');
  await expect(page.locator('#changes')).toContainText('which so few cannot have');
});

test('slow answers are requested after the first chart is drawn', async () => {
  const page = await newPage();
  await page.route('**/findings?*', () => undefined);
  await page.goto(`${origin()}/explore`);
  await expect(rows(page)).toHaveCount(12);
  await expect(rows(page).first()).toContainText('…');
});

test('a failed analysis is reported, and the table is shown', async () => {
  const page = await open('?run=2&baseline=nobody');
  await expect(page.locator('#ratios')).toContainText('run 2 found no such device');
  await expect(rows(page)).toHaveCount(12);
});

test('where devices may join, the page that shows the code is one click away', async () => {
  const page = await open();
  const link = page.getByRole('link', { name: 'join page' });
  await expect(link).toHaveAttribute('href', screen);
  await expect(page.locator('#joining')).toContainText('measured in a run of its own');
});

test('findings and builds have pages, found by keyboard, on any screen', async () => {
  const own = await serveOwn(aStoredHistory);
  const { targets, question, createdAt } = anAnomaly();
  for (const sentence of ['asyncFib is slow in Firefox', 'a long await in WebKit'])
    await own.store.saveAnomaly({ run: 1, targets, question, sentence, createdAt });
  const changedAt = '2026-11-22T00:00:00.000Z';
  await own.store.changeAnomaly('N2', { state: 'closed', reason: 'fixed', changedAt });
  const page = await own.visit('/');
  await page.getByRole('link', { name: 'Findings' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('h1')).toHaveText(/^2 findings are saved/);
  await page.getByLabel('State').selectOption('closed');
  await expect(page.locator('.finding:visible')).toHaveCount(1);
  expect(page.url()).toContain('#verdict=closed');
  await page.reload();
  await expect(page.locator('output')).toHaveText('1 of 2 findings');
  const pages = ['/findings', '/findings/N2', '/builds'];
  for (const path of pages) {
    await page.goto(`${own.origin()}${path}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await problemsOfAxe(page, colorScheme), path).toEqual([]);
    }
    await expectToFit(page, [1400, 768, 390, 320]);
  }
});
