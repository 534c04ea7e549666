/** The first page of `farm serve`, and the addresses that it leads to, in a real Chromium. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { newNight, type NightDocument } from '../harness/features/nights/night-document.ts';
import { aStoredHistory, storeNight } from '../harness/testing/stored-history.ts';
import { renderComparison } from './comparison.ts';
import { anExample } from './golden/example.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { problemsOfAxe } from './golden/opened-page.ts';
import { expectToFit } from './golden/page-tests.ts';

const script = '<script>window.owned=1</script>';

const { complaints, open, origin, serveOwn, visit } = useExplorer({
  database: async () => {
    const path = await aStoredHistory();
    await writeNights(path);
    return path;
  },
  openable: () =>
    Promise.resolve([
      {
        benchmark: 'fib',
        title: `Fibonacci${script}`,
        description: script,
        parameters: { n: 12 },
        url: 'http://127.0.0.1:9/fib/index.html?n=12',
        tryUrl: 'http://127.0.0.1:9/fib/try.html',
      },
    ]),
});

/** Two nights of the stored runs: one fine, one red for a hostile reason. */
async function writeNights(database: string): Promise<void> {
  const facts = { host: 'bench', farm: 'a', farmVersion: '1', database, asked: null };
  const begun = (day: string, run: number, suite: string): NightDocument => ({
    ...newNight({
      ...facts,
      id: `2026-11-${day}T00-00-00Z`,
      startedAt: `2026-11-${day}T00:00:00.000Z`,
      suite,
    }),
    run,
    finishedAt: `2026-11-${day}T02:00:00.000Z`,
  });
  const nights: readonly NightDocument[] = [
    { ...begun('20', 1, `quick${script}`), status: 'fine', exitCode: 0 },
    {
      ...begun('21', 2, 'quick'),
      status: 'red',
      exitCode: 3,
      reasons: [{ step: 'run', level: 'red', text: `a cell has no outcome ${script}` }],
      files: { report: 'report.html', junit: null, backup: null },
    },
  ];
  for (const night of nights) {
    const folder = join(dirname(database), 'nights', night.id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'night.json'), JSON.stringify(night));
    await writeFile(join(folder, 'report.html'), await renderComparison(anExample()));
  }
}

const runs = (page: Page) => page.locator('#runs tbody tr');

/** All parts are drawn, those that the analysis gives too. */
async function home(options = {}): Promise<Page> {
  const page = await visit('/', options);
  await expect(runs(page)).toHaveCount(2);
  await expect(page.locator('#runs .chip').first()).toBeVisible();
  await expect(page.locator('#nights')).toBeVisible();
  await expect(page.locator('#benchmarks')).toBeVisible();
  await expect(page.locator('#changed')).toBeVisible();
  return page;
}

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  await expect(page.locator('main script, main img')).toHaveCount(0);
  expect(await page.locator('body').innerText()).not.toContain('\u202e');
  expect(complaints()).toEqual([]);
}

test('runs have a name, what they found, and a link to their report', async () => {
  const page = await home();
  const newest = runs(page).first();
  await expect(newest).toContainText('2 · quick, chromium');
  await expect(newest).toContainText('2026-11-21 00:00');
  await expect(newest).toContainText('undecided');
  await expect(newest).toContainText(`=1+1${script}`);
  await expectHarmless(page);
  await newest.getByRole('link', { name: 'Report of run 2' }).click();
  await expect(page).toHaveURL(/\/report\?run=2$/);
  await expect(page.locator('header')).toContainText('Run 2: quick');
  // The script of the report ran, under its own policy.
  await expect(page.locator('#download a').first()).toBeAttached();
  expect(complaints().filter((one) => !one.startsWith('blob:'))).toEqual([]);
});

test('two runs are chosen by the keyboard alone, and compared', async () => {
  const page = await home();
  const compare = page.getByRole('button', { name: /^Compare/ });
  await expect(compare).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Compare run 2' }).focus();
  await page.keyboard.press('Space');
  while (!(await isFocused(page.getByRole('checkbox', { name: 'Compare run 1' })))) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Space');
  await expect(compare).toHaveText('Compare 2 runs');
  while (!(await isFocused(compare))) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  // The older one first: the newer one is compared with it.
  await expect(page).toHaveURL(/\/report\?run=1&run=2$/);
  await expect(page.locator('header')).toContainText(/Runs? 1/);
});

function isFocused(locator: Locator): Promise<boolean> {
  return locator.evaluate((element) => element === element.ownerDocument.activeElement);
}

test('nights are a calendar and a table, and each has a page', async () => {
  const page = await home();
  const night = page.locator('.calendar').getByRole('link');
  await expect(night).toHaveCount(2);
  await expect(night).toHaveText(['✓', '✗']);
  await page.getByText('All nights as a table').click();
  await expect(page.locator('#nights details tbody tr')).toHaveCount(2);
  await expect(page.locator('#nights details')).toContainText(`quick${script}`);
  await page.getByRole('link', { name: '2026-11-21: red' }).click();
  await expect(page.locator('h1')).toHaveText('Night of 2026-11-21 00:00 UTC: red');
  await expect(page.locator('main')).toContainText(`a cell has no outcome ${script}`);
  expect(await problemsOfAxe(page)).toEqual([]);
  await expectHarmless(page);
  await page.getByRole('link', { name: 'Report' }).click();
  await expect(page).toHaveURL(/\/nights\/2026-11-21T00-00-00Z\/report$/);
  // Its script runs, and may ask for nothing of the explorer.
  await expect(page.locator('#download a').first()).toBeAttached();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'origin') as unknown)).toBe('null');
  await page.goBack();
  await page.getByRole('link', { name: 'Run 2' }).click();
  await expect(page).toHaveURL(/\/runs\/2$/);
});

test('a benchmark’s page is linked with its parameters', async () => {
  const page = await home();
  const link = page.getByRole('link', { name: /^Open this page: Fibonacci/ });
  await expect(link).toHaveAttribute('href', 'http://127.0.0.1:9/fib/index.html?n=12');
  await expect(page.locator('#benchmarks')).toContainText(`Fibonacci${script}`);
});

test('shows a change over nights as a card with chart and table', async () => {
  const own = await serveOwn();
  for (let night = 0; night < 14; night += 1) {
    const startedAt = `2026-12-${String(night + 1).padStart(2, '0')}T00:00:00.000Z`;
    const slower = (night < 7 ? 2 : 3) * (1 + 0.01 * Math.sin(night * 7));
    await storeNight(own.store, { startedAt, slower, blocks: 1 });
  }
  // Newer than all nights, and not a night: it has no changes itself.
  const other = { startedAt: '2026-12-20T00:00:00.000Z', blocks: 1, suite: 'compare' };
  await storeNight(own.store, other);
  const page = await own.visit('/');
  const card = page.locator('#changes .card').first();
  await expect(card).toContainText('50 % slower');
  await expect(card).toContainText('2026-12-08 00:00');
  await expect(card.locator('svg.spark path')).toHaveAttribute('d', /^M5 /);
  await card.getByText('Its runs as a table').click();
  await expect(card.locator('tbody tr')).toHaveCount(16);
  expect(await problemsOfAxe(page)).toEqual([]);
  await expectHarmless(page);
  await card.locator('.of a').click();
  await expect(page).toHaveURL(/\/cases\/fib%20/);
  await expect(page.locator('#changes')).toContainText('medians of 16 runs');
});

test('shows a running run with its time left until it ends', async () => {
  const own = await serveOwn();
  const night = { startedAt: '2026-11-22T00:00:00.000Z', blocks: 1, finished: false, measured: 6 };
  const stage = {
    at: new Date().toISOString(),
    leftMs: 235_000,
    endsEarly: false,
    blocks: 0,
    most: { trials: 12, blocks: 1 },
    looked: 0,
  };
  const run = await storeNight(own.store, { ...night, news: { stage } });
  const page = await own.visit('/');
  await expect(page.locator('#live')).toContainText('Run 3 is going on: 6 of 12 trials');
  await expect(page.locator('#live')).toContainText('about 4 min left');
  await expect(runs(page).first()).toContainText('It is going on.');
  await expect(page.locator('#runs .chip')).toHaveCount(0);
  // Analysing would disturb the trials: only who asks for it gets it.
  await expect(page.locator('#changed')).toBeHidden();
  await page.getByRole('button', { name: 'Analyse all the same' }).click();
  await expect(page.locator('#runs .chip').first()).toBeVisible();
  await expect(page.locator('#changed')).toBeVisible();
  await expect(page.locator('#busy')).toBeHidden();
  await own.store.finishRun(run, 'interrupted', '2026-11-22T01:00:00.000Z');
  await expect(page.locator('#live')).toContainText('Run 3 has been interrupted');
  await expect(runs(page).first()).toContainText('interrupted');
  await expect(page.locator('#runs .chip').first()).toBeVisible();
  await expectHarmless(page);
});

test('a run’s page is its report’s first screen, with its facts, and its trials in a fold', async () => {
  const page = await visit('/runs/2');
  await expect(page.locator('#found .heat, #found .duel').first()).toBeVisible();
  await expect(page.locator('h1')).toContainText(/decided|slower|faster/);
  await expect(page.locator('#found a').first()).toHaveAttribute('href', /^\/report\?run=2#/);
  await expect(page.locator('#facts')).toContainText('quick, chromium');
  await expect(page.locator('#trials tbody')).toHaveCount(0);
  expect(await problemsOfAxe(page, 'light')).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOfAxe(page, 'dark')).toEqual([]);
  await page.locator('#list > summary').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('#trials tbody tr:not(.group)')).toHaveCount(36);
  await expect(page.locator('#trials')).toContainText('disturbed');
  const groups = await page.locator('#trials .group').allTextContents();
  expect(new Set(groups).size).toBe(groups.length);
  expect(groups[0]).toMatch(/^\S.* · fib function=/);
  expect(await problemsOfAxe(page)).toEqual([]);
  await expectHarmless(page);
  await page.getByRole('link', { name: 'Explore', exact: true }).last().click();
  await expect(page).toHaveURL(/\/explore\?run=2$/);
});

test('axe finds nothing on the first page, in light mode or in dark mode', async () => {
  const page = await home({ colorScheme: 'light' });
  for (const summary of await page.locator('summary:visible').all()) await summary.click();
  expect(await problemsOfAxe(page, 'light')).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOfAxe(page, 'dark')).toEqual([]);
});

test('neither the first page nor a run’s scrolls sideways, from 320 to 1280 px', async () => {
  const page = await home();
  await expectToFit(page, [1280, 390, 320]);
  await page.goto(`${origin()}/runs/2`);
  await expect(page.locator('#found a').first()).toBeVisible();
  await page.locator('#list > summary').click();
  await expect(page.locator('#trials tbody tr:not(.group)')).toHaveCount(36);
  await expectToFit(page, [1280, 390, 320]);
});

test('a connection that broke once is asked again, and the page is whole', async () => {
  const page = await visit('/explore');
  let isFirst = true;
  await page.route('**/api/v1/runs?*', (route) => {
    const breaks = isFirst;
    isFirst = false;
    return breaks ? route.abort('connectionreset') : route.continue();
  });
  await page.goto(`${origin()}/`);
  await expect(runs(page)).toHaveCount(2);
  await expect(page.locator('#status')).toBeEmpty();
  expect(isFirst).toBe(false);
});

test('links from before there was a first page lead to Explore', async () => {
  for (const old of ['?family=firefox-based', '?run=1#results', '#results']) {
    const page = await visit(`/${old}`);
    await expect(page.locator('#table tbody tr').first()).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/explore');
    expect(page.url()).toContain(old);
    await page.close();
  }
  const page = await open('?family=firefox-based');
  await expect(page.locator('#table tbody tr')).toHaveCount(6);
});

test('an address of nothing is a page with a sentence', async () => {
  for (const [path, sentence] of [
    ['/report?run=99', 'There is no run 99 here.'],
    ['/report?run=x', 'it must be a whole number'],
    ['/trials/9999', 'There is no trial 9999 here.'],
    ['/runs/9999', 'There is no run 9999 here.'],
    ['/findings/A-1', 'There is no such finding here.'],
    ['/nothing/A-1', 'There is nothing at /nothing/A-1.'],
  ] as const) {
    const page = await visit(path);
    await expect(page.locator('h1')).toContainText(sentence);
    expect(await problemsOfAxe(page)).toEqual([]);
    await page.close();
  }
});
