/** The explorer in a real Chromium, served as `farm serve` does it. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { storeNight } from '../harness/testing/stored-history.ts';
import { useExplorer } from './golden/opened-explorer.ts';
import { problemsOfAxe } from './golden/opened-page.ts';
import { expectToFit } from './golden/page-tests.ts';

const { complaints, newPage, open, origin, rows, serveOwn, visit } = useExplorer();

test('the first page shows the newest run as chart and table', async () => {
  const page = await open();
  await expect(page.locator('h1')).toHaveText('Fibonacci');
  await expect(page.locator('#status')).toHaveText('12 series of run 2.');
  await expect(page.locator('.panel')).toHaveCount(2);
  // Three values of n, on two browsers, in each panel.
  await expect(page.locator('.panel path[fill^=var] title')).toHaveCount(12);
  await expect(page.locator('.panel svg path[fill^=var]').first()).toBeVisible();
  await expect(page.locator('.legend li')).toHaveCount(2);
  await expect(rows(page)).toHaveCount(12);
  const row = page.getByRole('row', { name: /asyncFib n=12.*chromium/ });
  await expect(row).toContainText('25.0 ms');
  await expect(row).toContainText('24.0–26.0 ms (75 %)');
  expect(complaints()).toEqual([]);
});

test('on a wide screen the whole of the table is seen', async () => {
  const page = await open('', { viewport: { width: 1280, height: 900 } });
  await expect(rows(page)).toHaveCount(12);
  await expect(page.locator('.against', { hasText: 'blocks' }).first()).toBeVisible();
  const hidden = await page
    .locator('.scroll')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(hidden).toBe(0);
});

test('a parameter of whole numbers has no ticks between them', async () => {
  for (const [query, numbers] of [
    ['', ['11', '12']],
    ['?largest=10', []],
  ] as const) {
    const page = await open(query);
    const panel = page.locator('.panel').first();
    await expect(panel.locator('svg path[fill^=var]').first()).toBeVisible();
    // A 10 may be one of the other axis.
    const ticks = panel.locator('svg text').filter({ hasText: /^(1[12](\.\d+)?|10\.\d+)$/ });
    await expect(ticks).toHaveText(numbers);
    await page.close();
  }
});

test("a script in a device's name stays text everywhere", async () => {
  const page = await open();
  await expect(rows(page)).toHaveCount(12);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  await expect(page.locator('.legend')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('main script, main img')).toHaveCount(0);
  expect(await page.locator('body').innerText()).not.toContain('\u202e');
  expect(complaints()).toEqual([]);
});

test('a view that cannot be shown gives a message', async () => {
  const page = await open();
  await expect(page.locator('.cautions')).toContainText('intervals cover less than 95 %');
  await expect(page.getByRole('row', { name: /=syncFib n=10.*1\.2\.3, puppeteer/ })).toContainText(
    '1 not completed',
  );
});

test('a filter changes the view and the address, and the back button undoes it', async () => {
  const page = await open();
  await page.locator('summary', { hasText: 'Browser family' }).click();
  await page.getByRole('checkbox', { name: 'firefox-based' }).check();
  await expect(rows(page)).toHaveCount(6);
  expect(new URL(page.url()).search).toBe('?family=firefox-based');
  await page.locator('#largest').fill('10');
  await page.locator('#largest').press('Enter');
  await expect(rows(page)).toHaveCount(2);
  await page.locator('#p-function').selectOption('syncFib');
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await page.goBack();
  await page.goBack();
  await page.goBack();
  await expect(rows(page)).toHaveCount(12);
  expect(complaints()).toEqual([]);
});

test('mean, median and minimum are of the trials', async () => {
  const page = await open('?run=1&browser=chromium&p.function=syncFib&largest=10');
  await expect(rows(page)).toContainText(['11.0 ms']);
  await page.locator('#statistic').selectOption('minimum');
  await expect(rows(page)).toContainText(['10 ms']);
  await expect(page.locator('.cautions')).toContainText(/minimum.*without an interval/);
});

test('several functions and browsers are drawn in one chart', async () => {
  const page = await open('?run=1&scale=linear');
  await expect(page.locator('.panel')).toHaveCount(2);
  await page.locator('#together').selectOption('yes');
  await expect(page.locator('.panel')).toHaveCount(1);
  // Two functions in two browsers, each with three values of n.
  await expect(page.locator('.legend li')).toHaveCount(4);
  await expect(page.locator('.legend')).toContainText('function=syncFib · chromium');
  await expect(page.locator('.panel path[fill^=var] title')).toHaveCount(12);
  await page.locator('#p-function').selectOption('syncFib');
  await expect(page.locator('.legend li')).toHaveCount(2);
  await page.reload();
  await expect(page.locator('.legend li')).toHaveCount(2);
  // Of more than two values several can be chosen.
  const both = await open('?run=1&together=yes&p.function=syncFib,asyncFib');
  await expect(both.locator('.legend li')).toHaveCount(4);
  expect(complaints()).toEqual([]);
});

test('the mean of all browsers is one curve, in which each browser counts once', async () => {
  const page = await open('?run=2&statistic=minimum&together=yes&largest=10&p.function=syncFib');
  await expect(page.locator('.legend li')).toHaveCount(2);
  await page.locator('#average').selectOption('all');
  await expect(page.locator('.legend li')).toHaveCount(1);
  await expect(page.locator('.legend')).toContainText('all browsers: ');
  await expect(page.locator('.cautions')).toContainText('counts each browser once');
  // 20 ms in Chromium, and 41 in Firefox, whose first trial failed.
  await expect(page.locator('.panel path[fill^=var] title')).toHaveText(
    /mean of .*, run 2 .*: 30\.5/,
  );
  await page.locator('#average').selectOption('family');
  await expect(page.locator('.legend li')).toHaveText([/chromium-based/, /firefox-based/]);
});

test('a case has a page: its trials in a run, and its course over all runs', async () => {
  const page = await open('?browser=chromium');
  await page.getByRole('link', { name: 'fib function=asyncFib n=12' }).first().click();
  await expect(page).toHaveURL(/\/cases\/fib%20function%3DasyncFib%20n%3D12\?run=2$/);
  await expect(page.locator('h1')).toContainText('asyncFib(12)');
  await expect(page.locator('#place')).toContainText('run 2');
  await expect(page.locator('#found .duel tbody tr .dot').first()).toBeVisible();
  await expect(page.locator('#status')).toHaveText('In 2 runs: 4 series.');
  await expect(rows(page).first()).toContainText('2 · 2026-11-21 00:00');
  await expect(page.locator('.panel')).toHaveCount(1);
  expect(await problemsOfAxe(page)).toEqual([]);
  // Each mark leads to the trials of its run.
  await page.locator('.panel a path[fill^=var]').first().click();
  await expect(page.locator('#place')).toContainText('run 1');
  await page.goBack();
  await expect(page.locator('#place')).toContainText('run 2');
  await page.locator('#found a .dot').first().click();
  await expect(page).toHaveURL(/\/trials\/\d+$/);
});

test('filters of a case stand in its address', async () => {
  const page = await visit('/cases/fib%20function%3DasyncFib%20n%3D12?browser=chromium');
  await expect(page.locator('#status')).toHaveText('In 2 runs: 2 series.');
  await page.locator('#filters-title').click();
  await page.locator('#statistic').selectOption('mean');
  await expect(page).toHaveURL(/\/cases\/fib[^?]*\?browser=chromium&statistic=mean$/);
  await page.getByRole('button', { name: 'Show all cases of a run' }).click();
  await expect(page).toHaveURL(/\/explore\?benchmark=fib&browser=chromium&statistic=mean$/);
  await expect(page.locator('#status')).toHaveText('6 series of run 2.');
  await expect(page.locator('#found')).toBeEmpty();
  await page.goBack();
  await expect(page.locator('#status')).toHaveText('In 2 runs: 2 series.');
});

test('a query without matches, and an invalid one, give a sentence', async () => {
  const page = await open('?driver=nope');
  await expect(page.locator('#status')).toHaveText('Nothing in run 2 fits the filters.');
  await page.goto(`${origin()}/?family=nope`);
  await expect(page.locator('#status')).toContainText(/cannot be shown.* "family"/);
});

test('cuts off too many series with a note and lists a hundred', async () => {
  const page = await newPage();
  let asked = 0;
  const answer = await fetch(`${origin()}/api/v1/summaries?limit=1`);
  const { summaries } = (await answer.json()) as { summaries: Record<string, unknown>[] };
  const [first] = summaries;
  await page.route('**/api/v1/summaries?*', async (route) => {
    asked += 1;
    const many = Array.from({ length: 500 }, (_, i) => ({
      ...first,
      parameters: { function: 'syncFib', n: 500 * asked + i },
    }));
    await route.fulfill({ json: { summaries: many, next: '1.2.3' } });
  });
  await page.goto(`${origin()}/explore`);
  await expect(page.locator('.cautions')).toContainText(/first 2,000 series.*narrow the filters/);
  expect(asked).toBe(4);
  await expect(rows(page)).toHaveCount(100);
  await page.getByRole('button', { name: 'Show 1,900 more rows' }).click();
  await expect(rows(page)).toHaveCount(2_000);
});

test('a page of another site cannot read the API or frame the explorer', async () => {
  const stranger = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>stranger</title><iframe src="${origin()}/"></iframe>`);
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
  const { port } = stranger.address() as AddressInfo;
  try {
    const page = await newPage();
    // A foreign host name that resolves to this machine (DNS rebinding).
    await page.goto(`http://localhost:${String(port)}/`);
    const api = `${origin()}/api/v1/runs`;
    const seen = await page.evaluate(async (url) => {
      const told = async (mode: string): Promise<string> => {
        try {
          const response = await fetch(url, { mode } as RequestInit);
          return `${response.type} ${await response.text()}`;
        } catch {
          return 'refused';
        }
      };
      return [await told('cors'), await told('no-cors')];
    }, api);
    expect(seen[0]).toBe('refused');
    expect(['refused', 'opaque ']).toContain(seen[1]);
    const framed = page.frames().find((frame) => frame.url().startsWith(origin()));
    if (framed !== undefined)
      expect(await framed.locator('body').innerText()).not.toContain('explorer');
  } finally {
    stranger.closeAllConnections();
    await new Promise((resolve) => stranger.close(resolve));
  }
});

test('everything can be reached and chosen by the keyboard alone', async () => {
  const page = await open();
  await expect(rows(page)).toHaveCount(12);
  await page.keyboard.press('Tab');
  await expect(page.locator('.skip')).toBeFocused();
  for (const link of ['Home', 'Explore', 'Findings', 'Builds']) {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: link, exact: true })).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(page.locator('#benchmark')).toBeFocused();
  const statistic = page.locator('#statistic');
  while (
    !(await statistic.evaluate((element) => element === element.ownerDocument.activeElement))
  ) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('ArrowDown');
  await expect(page).toHaveURL(/statistic=mean/);
  // The form was drawn again, and the focus is where it was.
  await expect(statistic).toBeFocused();
});

const unfinished = { startedAt: '2026-11-22T00:00:00.000Z', blocks: 1, finished: false };

test('a run that begins while the page is open is followed, too', async () => {
  const own = await serveOwn();
  const page = await own.newPage();
  await page.clock.install();
  await page.goto(`${own.origin()}/explore`);
  await expect(rows(page)).toHaveCount(12);
  await expect(page.locator('#live')).toBeHidden();
  await storeNight(own.store, unfinished);
  await page.clock.fastForward(11_000);
  await expect(page.locator('#live')).toContainText('Run 3 is going on: 12 of 12 trials');
  expect(complaints()).toEqual([]);
});

test('a running run is followed, and its results are there when it ends', async () => {
  const own = await serveOwn();
  const run = await storeNight(own.store, unfinished);
  const page = await own.open();
  await expect(page.locator('#live')).toContainText('Run 3 is going on: 12 of 12 trials');
  await expect(page.locator('#live')).toContainText('1 of them failed or timed out');
  await own.store.finishRun(run, 'finished', '2026-11-22T01:00:00.000Z');
  await expect(page.locator('#live')).toContainText('Run 3 has finished');
  await expect(page.locator('#run option').nth(1)).toHaveText('3 · 2026-11-22 00:00 · quick');
  expect(complaints()).toEqual([]);
});

test('axe finds nothing, in light mode or in dark mode', async () => {
  const page = await open('', { colorScheme: 'light' });
  await expect(rows(page)).toHaveCount(12);
  for (const summary of await page.locator('summary:visible').all()) await summary.click();
  expect(await problemsOfAxe(page, 'light')).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await problemsOfAxe(page, 'dark')).toEqual([]);
});

test('on a phone findings come first and filters fold to one line', async () => {
  const page = await open('?family=firefox-based', { viewport: { width: 360, height: 740 } });
  await expect(rows(page)).toHaveCount(6);
  await expect(page.locator('#benchmark')).toBeHidden();
  const panel = await page.locator('.panel').first().boundingBox();
  expect(panel!.y).toBeLessThan(740);
  await page.getByText('Filters (1 set)').click();
  await page.locator('#p-function').selectOption('syncFib');
  await expect(rows(page)).toHaveCount(3);
  // The form was drawn again, and stays open.
  await expect(page.locator('#benchmark')).toBeVisible();
  await expect(page.locator('#filters-title')).toHaveText('Filters (2 set)');
  await page.setViewportSize({ width: 1280, height: 740 });
  await expect(page.locator('#filters-title')).toBeHidden();
  await expect(page.locator('#benchmark')).toBeVisible();
});

test('a single chart takes the whole width and keeps its text size', async () => {
  const page = await open('?p.function=syncFib', { viewport: { width: 1280, height: 800 } });
  await expect(page.locator('.panel')).toHaveCount(1);
  const widthOf = async (selector: string) =>
    (await page.locator(selector).first().boundingBox())!.width;
  expect(await widthOf('.panel svg.plot')).toBeGreaterThan(
    0.95 * Math.min(900, await widthOf('#chart')),
  );
  await page.setViewportSize({ width: 320, height: 800 });
  await page.reload();
  await expect(page.locator('.panel')).toHaveCount(1);
  const svg = page.locator('.panel svg.plot');
  const drawn = Number(await svg.getAttribute('width'));
  expect((await svg.boundingBox())!.width).toBeCloseTo(drawn, 0);
});

test('the page does not scroll sideways, from 320 to 1280 px', async () => {
  const page = await newPage();
  for (const width of [1280, 768, 320]) {
    await page.setViewportSize({ width, height: 800 });
    // Charts are as wide as there is room when they are drawn.
    await page.goto(`${origin()}/explore`);
    await expect(rows(page)).toHaveCount(12);
    await expectToFit(page, [width]);
  }
});
