/** The report in a real Chromium, opened from disk: what a reader, and what an attacker, would see. */
import { readFileSync } from 'node:fs';
import { expect, test, type BrowserContextOptions } from '@playwright/test';
import type { Findings } from '../harness/core/results/index.ts';
import { drawOnce } from './golden/draw-once.ts';
import { anExample } from './golden/example.ts';
import { poisoned } from './golden/hostile.ts';
import { aLargeExample } from './golden/large-example.ts';
import { aNightExample } from './golden/night-example.ts';
import { openDetails, pageWidth, useBrowser, type OpenedPage } from './golden/opened-page.ts';
import { expectHarmless, testPage } from './golden/page-tests.ts';
import { aPairExample } from './golden/pair-example.ts';
import { aRunsExample } from './golden/runs-example.ts';
import { aStudiesExample } from './golden/studies-example.ts';
import { isMeasured } from './wording/difference.ts';
import { formatRatioEstimate } from './html/number.ts';
import { shiftInterval } from '../harness/core/analysis/stats/shift-interval.ts';
import { renderWhole } from './golden/whole-report.ts';

const openPage = useBrowser();
const render = drawOnce(renderWhole);

const example = anExample();
const pair = aPairExample();
const runs = aRunsExample();
const night = aNightExample();
const studies = aStudiesExample();

async function open(findings: Findings, options?: BrowserContextOptions): Promise<OpenedPage> {
  return openPage(await render(findings), options);
}

testPage({
  openPage,
  render,
  heading: 'Firefox ESR is 3.1× slower in asyncFib(26); 24 of 25 comparisons differ',
  example,
  hostileText: '.kicker',
  forms: { table: example, 'one pair': pair, 'two runs': runs, night, studies },
});

for (const [what, findings, part] of [
  ['one pair', pair, '.verdict'],
  ['two runs', runs, '#between'],
  ['a night', night, '#night-numbers'],
  ['the studies', studies, '#rebuilt-claims'],
] as const) {
  test(`at 320 px the report of ${what} fits, hostile strings stay text`, async () => {
    const narrow = { viewport: { width: 320, height: 800 } };
    const { page } = await open(findings, narrow);
    await expect(page.locator(part)).toBeAttached();
    expect(await pageWidth(page)).toBeLessThanOrEqual(320);
    for (const chart of await page.locator('.course .log svg, .forest svg').all()) {
      expect((await chart.boundingBox())?.width ?? 0).toBeLessThanOrEqual(320);
    }
    await expectHarmless(await open(poisoned(findings), narrow));
  });
}

test("a map's caption fits a phone and stays visible while it scrolls", async () => {
  const { page } = await open(aLargeExample({ targets: 9, cases: 3, trials: 8 }), {
    viewport: { width: 320, height: 800 },
  });
  const caption = page.locator('.heat caption').first();
  const map = page.locator('.scroll', { has: caption }).first();
  const moved = await map.evaluate((element) => {
    element.scrollLeft = 200;
    return element.scrollLeft;
  });
  expect(moved).toBeGreaterThan(0);
  const box = await caption.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(320);
});

test('the data survive hostile strings unchanged', async () => {
  // With all its payloads the whole example would be long enough to be compressed.
  const findings = poisoned({ ...example, rows: [], growth: [], cpu: [] });
  const { page } = await open(findings);
  const text = await page.locator('#findings').evaluate((element) => element.textContent);
  const data = JSON.parse(text ?? '') as Findings;
  expect(data.title).toBe(findings.title);
  expect(data.troubles).toEqual(findings.troubles);
});

test('a reader compares all targets of two runs with one and back', async () => {
  const { page } = await open(runs);
  const choice = page.getByRole('combobox', { name: 'Compare with' });
  await expect(choice.locator('option:checked')).toHaveText('itself in run 12 (verdicts)');
  const relation = page.locator('#row-1 tr').nth(4).locator('td').nth(1);
  const said = await relation.innerText();
  expect(said).toContain('slower');
  await choice.selectOption('chromium@12');
  await expect(relation).toContainText('no verdict');
  await expect(page.locator('[data-baseline]').first()).toHaveText('Chromium, run 12');
  await choice.selectOption('');
  expect(await relation.innerText()).toBe(said);
});

test('a cell of the first screen leads to its case, which was folded', async () => {
  const { page } = await open(example);
  const fold = page.locator('details:has(> summary #comparison)');
  await fold.evaluate((details) => details.removeAttribute('open'));
  await expect(page.locator('#row-2')).toBeHidden();
  await page.locator('.heat tbody tr').nth(1).getByRole('link').nth(1).click();
  await expect(page.locator('#row-2')).toBeInViewport();
});

test('downloads every trial as CSV without formulas in names', async () => {
  const [first, ...others] = example.rows;
  const named = { ...first!, caseName: '=HYPERLINK("http://evil.invalid")' };
  const { page } = await open({ ...example, rows: [named, ...others] });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'every trial as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('crossfarm-run-12.csv');
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines[0]).toBe('case,metric,unit,direction,target,trial,value,quarantined');
  expect(lines[1]).toMatch(/^"'=HYPERLINK\(""http:\/\/evil\.invalid""\)",/);
  const cells = example.rows.flatMap((row) => row.cells.filter(isMeasured));
  const values = cells.flatMap((cell) => cell.values);
  const aside = cells.flatMap(({ quarantined = [] }) => quarantined);
  expect(lines.filter((line) => line.endsWith(',no'))).toHaveLength(values.length);
  expect(lines.filter((line) => line.endsWith(',yes'))).toHaveLength(aside.length);
  expect(aside.length).toBeGreaterThan(0);
  expect(lines).toHaveLength(values.length + aside.length + 1);
});

test('the reader chooses which cases and targets the comparison shows', async () => {
  const { page } = await open(example);
  const form = page.getByRole('form', { name: 'What the comparison shows' });
  const cases = page.locator('tbody[id^="row-"]');
  await expect(cases.locator('visible=true').first()).toBeVisible();
  const asked = example.rows[1]!;
  const name = Object.entries(asked.parameters).map(
    ([key, value]) => `${key} ${String(value)}`,
  )[0]!;
  const meant = example.rows.filter((row) =>
    Object.entries(row.parameters).some(([key, value]) => `${key} ${String(value)}` === name),
  );
  await form.getByRole('searchbox', { name: 'Cases with' }).fill(name.toUpperCase());
  await expect(cases.and(page.locator(':not([hidden])'))).toHaveCount(meant.length);
  await expect(form.getByRole('status')).toHaveText(
    `${String(meant.length)} of ${String(example.rows.length)} cases`,
  );
  await form.getByRole('searchbox').fill('');
  await expect(cases.and(page.locator(':not([hidden])'))).toHaveCount(example.rows.length);

  const lines = page.locator('#row-1 tr:not([hidden])');
  const before = await lines.count();
  await form.getByRole('checkbox', { name: 'Firefox' }).uncheck();
  await expect(lines).toHaveCount(before - 1);
  const shown = page.locator('#row-1 > tr:not(.unfold):visible');
  await expect(shown.filter({ hasText: 'Firefox' })).toHaveCount(0);
  await page.locator('#row-1 .more summary').first().click();
  await expect(page.locator('#row-1 .card:visible')).not.toHaveCount(0);
  const cards = page.locator('#row-1 .card:visible, #row-1 dt:visible');
  await expect(cards.filter({ hasText: 'Firefox' })).toHaveCount(0);
});

test("the reader's choices are in the address, which leads back to them", async () => {
  const { page } = await open(example);
  const form = page.getByRole('form', { name: 'What the comparison shows' });
  const rows = page.locator('tbody[id^="row-"]:not([hidden])');
  await expect(rows).not.toHaveCount(0);
  const address = page.url();
  await form.getByRole('searchbox').fill('FIB');
  await form.getByRole('checkbox', { name: 'Firefox' }).uncheck();
  await form.getByLabel('Axes').selectOption('linear');
  const chosen = page.url();
  const [cases, lines] = [
    await rows.count(),
    await page.locator('#row-1 tr:not([hidden])').count(),
  ];

  await page.goto('about:blank');
  await page.goto(chosen);
  await expect(form.getByRole('checkbox', { name: 'Firefox' })).not.toBeChecked();
  await expect(form.getByRole('searchbox')).toHaveValue('FIB');
  await expect(form.getByLabel('Axes')).toHaveValue('linear');
  await expect(page.locator('html')).toHaveClass(/\blin\b/);
  await expect(rows).toHaveCount(cases);
  await expect(page.locator('#row-1 tr:not([hidden])')).toHaveCount(lines);

  await form.getByRole('searchbox').fill('');
  await form.getByRole('checkbox', { name: 'Firefox' }).check();
  await form.getByLabel('Axes').selectOption('log');
  expect(page.url()).toBe(address);
});

interface Chosen {
  readonly findings: Findings;
  readonly page: OpenedPage['page'];
}

/** Text about the stated baseline in the first case, once another target is the baseline. */
async function relationToAnother({ findings, page }: Chosen): Promise<{
  readonly said: string;
  readonly values: readonly [ours: readonly number[], theirs: readonly number[]];
}> {
  const stated = findings.verdicts.baselineTargetId;
  const text = await page.locator('#findings').evaluate((element) => element.textContent);
  const [row] = (JSON.parse(text ?? '') as Findings).rows;
  const measured = row!.cells.filter((cell) => cell.kind === 'measured');
  const own = measured.find(({ targetId }) => targetId === stated)!;
  const other = measured.find(({ targetId }) => targetId !== stated)!;
  const place = row!.cells.indexOf(own) + 1;
  const relation = page.locator('#row-1 tr').nth(place).locator('td').nth(1);
  const before = await relation.innerText();
  const choice = page.getByRole('combobox', { name: 'Compare with' });
  await choice.selectOption(other.targetId);
  const said = (await relation.innerText()).replace(/\s+/g, ' ');
  await choice.selectOption(stated);
  expect(await relation.innerText()).toBe(before);
  return { said, values: [own.values, other.values] };
}

test('another target has an interval of ranks, without a verdict', async () => {
  const { page } = await open(example);
  const { said, values } = await relationToAnother({ findings: example, page });
  const [ours, theirs] = values.map((all) => all.map(Math.log));
  const { shift, low, high } = shiftInterval(ours!, theirs!);
  const [ratio, from, to] = [shift, low, high].map(Math.exp) as [number, number, number];
  const shown = formatRatioEstimate({ ratio, low: from, high: to }, 0);
  expect(said.startsWith(`${shown.ratio} ${shown.interval}`), said).toBe(true);
  expect(said).toContain('no verdict');
});

test('shows no interval for three trials against three, and why', async () => {
  const rows = example.rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) =>
      cell.kind === 'measured' ? { ...cell, values: cell.values.slice(0, 3), trials: 3 } : cell,
    ),
  }));
  const findings = { ...example, rows };
  const { page } = await open(findings);
  const { said } = await relationToAnother({ findings, page });
  expect(said).toMatch(/^[\d.]+× 3 against 3 trials.*too few.*no verdict$/);
});

test('the reader chooses one of several metrics', async () => {
  const [first, ...others] = example.rows;
  const memory = { ...first!, metric: 'memory', unit: 'MB' };
  const { page } = await open({ ...example, rows: [first!, memory, ...others] });
  const form = page.getByRole('form', { name: 'What the comparison shows' });
  const shown = page.locator('tbody[id^="row-"]:not([hidden])');
  await form.getByRole('combobox', { name: 'Metric' }).selectOption('memory');
  await expect(shown).toHaveCount(1);
  await expect(shown).toContainText('memory, lower is better');
  await expect(form.getByRole('status')).toHaveText(
    `1 of ${String(example.rows.length + 1)} cases`,
  );
  await form.getByRole('combobox', { name: 'Metric' }).selectOption('');
  await expect(shown).toHaveCount(example.rows.length + 1);
});

test('the dots stand on a logarithmic axis or a linear one', async () => {
  const { page } = await open(example);
  const band = page.locator('#row-1 svg.s path:first-child').nth(1);
  const drawn = await band.getAttribute('d');
  const ends = page.locator('#row-1 [data-axis]');
  const said = await ends.innerText();
  const axis = page.getByRole('combobox', { name: 'Axes' });
  const ring = page.locator('svg.s .q').first();
  const aside = await ring.getAttribute('d');
  await axis.selectOption('linear');
  expect(await band.getAttribute('d')).not.toBe(drawn);
  expect(await ring.getAttribute('d')).not.toBe(aside);
  await expect(ends).toContainText(/^0 to /);
  await axis.selectOption('log');
  expect(await band.getAttribute('d')).toBe(drawn);
  expect(await ring.getAttribute('d')).toBe(aside);
  expect(await ends.innerText()).toBe(said);
});

for (const [what, findings, figures] of [
  [
    'a table',
    example,
    [
      'details:has(> summary #growth) figure',
      'details:has(> summary #crossover) figure',
      '.lead figure.forest',
    ],
  ],
  ['one pair', pair, ['.lead figure.course']],
] as const) {
  test(`a box at each chart of ${what} sets all axes to linear at once`, async () => {
    const { page, complaints } = await open(findings);
    const axis = page.getByRole('combobox', { name: 'Axes' });
    for (const figure of figures) {
      const chart = page.locator(figure).first();
      const logarithmic = chart.locator('.log').first();
      const linear = chart.locator('.linear').first();
      await expect(logarithmic, figure).toBeVisible();
      await expect(linear, figure).toBeHidden();
      await chart.getByRole('checkbox', { name: 'linear axis' }).check();
      await expect(logarithmic, figure).toBeHidden();
      await expect(linear, figure).toBeVisible();
      await expect(page.locator('.log:visible'), figure).toHaveCount(0);
      await expect(axis, figure).toHaveValue('linear');
      await expect(page.locator('#row-1 [data-axis]'), figure).toContainText(/^0 to /);
      await axis.selectOption('log');
      await expect(logarithmic, figure).toBeVisible();
      const set = page.getByRole('checkbox', { name: 'linear axis', checked: true });
      await expect(set, figure).toHaveCount(0);
    }
    expect(complaints).toEqual([]);
  });
}

test('shows all tables and charts without JavaScript', async () => {
  const { page, complaints } = await open(example, { javaScriptEnabled: false });
  await expect(page.locator('.growth .plot:visible')).toHaveCount(5);
  await expect(page.locator('.linear:visible')).toHaveCount(0);
  await expect(page.locator('svg.s').first()).toBeVisible();
  await expect(page.locator('button')).toHaveCount(0);
  await page.locator('details.case summary').first().click();
  await expect(page.locator('.card').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('widens figures over time by a named button and scrolls them', async () => {
  const { page } = await open(example);
  await page.locator('#row-1 .more summary').first().click();
  const card = page.locator('#row-1 .card').first();
  const drawn = card.locator('svg.k').first();
  const before = (await drawn.boundingBox())!.width;
  await card.getByRole('button', { name: /^Zoom 2×: Chromium$/ }).click();
  const { width, height } = (await drawn.boundingBox())!;
  expect(width).toBeGreaterThan(1.9 * before);
  expect(height).toBeGreaterThan(0);
  await card.getByRole('button', { name: /^Zoom 4×/ }).click();
  await card.locator('figure').first().focus();
  await card.getByRole('button', { name: /^Zoom out/ }).click();
  expect((await drawn.boundingBox())!.width).toBe(before);
});

test('Tab alone reaches every control of the page', async () => {
  const { page } = await open(example);
  await openDetails(page);
  const all = await page
    .locator('a[href]:not([tabindex="-1"]), button, input, select, summary, [tabindex="0"]')
    .evaluateAll((some) => some.filter((one) => one.checkVisibility()).length);
  await page.evaluate(`
    globalThis.reached = new Set();
    document.addEventListener('focusin', ({ target }) => globalThis.reached.add(target));
  `);
  for (let i = 0; i < all + 5; i += 1) await page.keyboard.press('Tab');
  const count = await page.evaluate<number>('globalThis.reached.size');
  expect(count).toBeGreaterThanOrEqual(all);
});

test('on a phone each line of a case is a card with all its parts', async () => {
  const { page } = await open(example, { viewport: { width: 390, height: 800 } });
  const region = page.getByRole('region', {
    name: 'Fibonacci: typical values by case and browser',
  });
  const [scrolled, shown] = await region.evaluate((one) => [one.scrollWidth, one.clientWidth]);
  expect(scrolled).toBeLessThanOrEqual(shown);
  const line = page.locator('#row-1 tr').nth(2);
  for (const part of ['Firefox ESR', '30.1', 'slower', '3.01–3.15×', '28.7–30.4', '9']) {
    const box = await line.getByText(part).first().boundingBox();
    expect(box?.x, part).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? Infinity), part).toBeLessThanOrEqual(390);
  }
  await expect(line.locator('svg.s')).toBeVisible();
});

test('with the keyboard one can skip to the findings and scroll a wide table', async () => {
  const { page } = await open(example, { viewport: { width: 320, height: 800 } });
  await page.keyboard.press('Tab');
  await expect(page.locator('.skip')).toBeFocused();
  const region = page.locator('.scroll:has(#growth-1-fits)');
  expect(await region.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
  await region.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('on paper, closed details are open and the colours are the light ones', async () => {
  const { page } = await open(example, { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.card').first()).toBeVisible();
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(29, 33, 38)');
});

test('the command can be copied', async () => {
  const { page } = await open(example);
  const button = page.getByRole('button', { name: 'Copy the command' }).first();
  await button.click();
  await expect(button).toHaveText(/^(Copied|Selected: press Ctrl\+C)$/);
});

test('a command covers a case on all devices or the chosen one', async () => {
  const { page } = await open(example);
  await openDetails(page);
  const row = page.locator('.repeat tbody tr').first();
  await expect(row).toContainText(' --device chromium,firefox,webkitgtk --trials 9 --isolation');
  const device = page.getByRole('combobox', { name: 'On the device' });
  await device.selectOption('firefox');
  await expect(row).toContainText(' --device firefox --trials 9 --isolation session');
  await device.selectOption({ index: 0 });
  await expect(row).toContainText(' --device chromium,firefox,webkitgtk --trials 9');
});

for (const [size, aReport] of [
  ['small', () => example],
  ['compressed', () => aLargeExample({ targets: 10, cases: 120, trials: 30 })],
] as const) {
  test(`the data of a ${size} report can be downloaded as JSON`, async () => {
    const findings = aReport();
    const { page } = await open(findings);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#download a').first().click(),
    ]);
    expect(download.suggestedFilename()).toBe('crossfarm-run-12.json');
    const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as Findings;
    expect(data.rows).toHaveLength(findings.rows.length);
  });
}
