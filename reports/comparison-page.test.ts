/** The report in a real Chromium, opened from disk: what a reader, and what an attacker, would see. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import {
  chromium,
  expect,
  test,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';
import { renderComparison } from './comparison.ts';
import type { Findings } from './findings.ts';
import { anExample } from './golden/example.ts';
import { aLargeExample } from './golden/large-example.ts';
import { aPairExample } from './golden/pair-example.ts';

const system = '/usr/bin/chromium';
const executable = [system, chromium.executablePath()].find((file) => existsSync(file));
const folder = mkdtempSync(path.join(tmpdir(), 'crossfarm-report-'));
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
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Every request but the file itself. */
  readonly requests: readonly string[];
  /** Violations of the policy, errors of scripts, and errors on the console. */
  readonly complaints: readonly string[];
}

/** Writes the report to disk and opens it in a context without a network. */
async function open(findings: Findings, options: BrowserContextOptions = {}): Promise<Opened> {
  const file = path.join(folder, `${String(test.info().workerIndex)}-${test.info().testId}.html`);
  writeFileSync(file, await renderComparison(findings));
  const context = await browser.newContext({ offline: true, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) requests.push(request.url());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await page.goto(pathToFileURL(file).href);
  return { page, requests, complaints };
}

async function openDetails(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '');
  });
}

const payload =
  `<script>window.owned=1</script><img src="http://evil.invalid/x.png" onerror="window.owned=1">` +
  `"' onmouseover='window.owned=1' \`\${window.owned=1}\` </script></style></title></textarea>--><!-- ]]>` +
  `<svg onload=window.owned=1><a href="javascript:window.owned=1">\u001b[31mred\u001b[0m\u202egnp.exe\u2028\u0000&amp;`;

/** Words of the contract, which cannot be chosen by a page or a device. */
const ownWords = new Set([
  'kind',
  'status',
  'direction',
  'isolation',
  'writtenAt',
  'verdict',
  'because',
]);

/** The same value with the payload behind every string, and every key of `parameters` too. */
function poisoned(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return ownWords.has(key) ? value : value + payload;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, key));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [
    key === 'parameters' ? name + payload : name,
    poisoned(one, name),
  ]);
  return Object.fromEntries(entries) as unknown;
}

test('the report asks for nothing outside itself and breaks no rule of its own policy', async () => {
  const { page, requests, complaints } = await open(anExample());
  await expect(page.locator('h1')).toHaveText('Quick suite on three engines');
  await expect(page.locator('#download a')).toBeVisible();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('hostile strings everywhere are shown as text, and do nothing', async () => {
  const { page, requests, complaints } = await open(poisoned(anExample()) as Findings);
  await openDetails(page);
  await page.locator('#download a').waitFor();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('h1')).toContainText('<script>window.owned=1</script>');
  await expect(page.locator('main script, main img, main a[href^="javascript"]')).toHaveCount(0);
  const text = await page.locator('body').innerText();
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
  expect(text).toContain('redgnp.exe');
  const size = await page.locator('html').evaluate((root) => root.scrollWidth);
  expect(size).toBeLessThanOrEqual(1280);
});

test('hostile strings do nothing in a comparison of one pair either', async () => {
  const { page, requests, complaints } = await open(poisoned(aPairExample()) as Findings);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'owned') as unknown)).toBeUndefined();
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await expect(page.locator('.verdict')).toContainText('slower');
});

test('the data survive hostile strings unchanged', async () => {
  // With all its payloads the whole example would be long enough to be compressed.
  const findings = poisoned({ ...anExample(), rows: [], growth: [], cpu: [] }) as Findings;
  const { page } = await open(findings);
  const text = await page.locator('#findings').evaluate((element) => element.textContent);
  const data = JSON.parse(text ?? '') as Findings;
  expect(data.title).toBe(findings.title);
  expect(data.troubles).toEqual(findings.troubles);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [what, findings] of [
    ['a table', anExample()],
    ['one pair', aPairExample()],
  ] as const) {
    test(`axe finds nothing serious in ${colorScheme} mode in the report of ${what}`, async () => {
      const { page } = await open(findings, { colorScheme });
      await openDetails(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations.filter(
        ({ impact }) => impact === 'serious' || impact === 'critical',
      );
      expect(
        serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)]),
      ).toEqual([]);
    });
  }
}

test('at 320 px a comparison of one pair does not scroll sideways, and its chart is whole', async () => {
  const { page } = await open(aPairExample(), { viewport: { width: 320, height: 800 } });
  expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(320);
  expect((await page.locator('.course svg').boundingBox())?.width).toBeLessThanOrEqual(320);
});

for (const width of [320, 360, 768, 1280]) {
  test(`at ${String(width)} px the page does not scroll sideways`, async () => {
    const { page } = await open(anExample(), { viewport: { width, height: 800 } });
    await openDetails(page);
    expect(await page.locator('html').evaluate((root) => root.scrollWidth)).toBeLessThanOrEqual(
      width,
    );
  });
}

test('without JavaScript all tables and charts are there, and nothing else is lost', async () => {
  const { page, complaints } = await open(anExample(), { javaScriptEnabled: false });
  await expect(page.locator('.growth .plot')).toHaveCount(3);
  await expect(page.locator('svg.s').first()).toBeVisible();
  await expect(page.locator('button')).toHaveCount(0);
  await page.locator('details.case summary').first().click();
  await expect(page.locator('.card').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('with the keyboard one can skip to the findings and scroll a wide table', async () => {
  const { page } = await open(anExample(), { viewport: { width: 320, height: 800 } });
  await page.keyboard.press('Tab');
  await expect(page.locator('.skip')).toBeFocused();
  const region = page.getByRole('region', { name: 'Fibonacci: medians by case and target' });
  await region.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('on paper, closed details are open and the colours are the light ones', async () => {
  const { page } = await open(anExample(), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.locator('.card').first()).toBeVisible();
  await expect(page.locator('nav')).toBeHidden();
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(29, 33, 38)');
});

test('the command can be copied', async () => {
  const { page } = await open(anExample());
  const button = page.getByRole('button', { name: 'Copy the command' }).first();
  await button.click();
  await expect(button).toHaveText(/^(Copied|Selected: press Ctrl\+C)$/);
});

for (const [size, findings] of [
  ['small', anExample()],
  ['compressed', aLargeExample({ targets: 10, cases: 120, trials: 30 })],
] as const) {
  test(`the data of a ${size} report can be downloaded as JSON`, async () => {
    const { page } = await open(findings);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#download a').click(),
    ]);
    expect(download.suggestedFilename()).toBe('crossfarm-run-12.json');
    const data = JSON.parse(readFileSync(await download.path(), 'utf8')) as Findings;
    expect(data.rows).toHaveLength(findings.rows.length);
  });
}
