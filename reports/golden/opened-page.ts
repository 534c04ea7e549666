/** A report in a real Chromium, opened from disk and without a network, for the tests of this folder. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import axe from 'axe-core';
import {
  chromium,
  test,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from '@playwright/test';

const system = '/usr/bin/chromium';

export interface OpenedPage {
  readonly page: Page;
  /** Every request but the file itself. */
  readonly requests: readonly string[];
  /** Violations of the policy, errors of scripts, and errors on the console. */
  readonly complaints: readonly string[];
}

export type OpenPage = (markup: string, options?: BrowserContextOptions) => Promise<OpenedPage>;

/**
 * One browser for all tests of a file, which are skipped where there is none. What a test opened in it
 * is closed after the test.
 */
export function useChromium(): () => Browser {
  const executable = [system, chromium.executablePath()].find((file) => existsSync(file));
  let browser: Browser | undefined;
  test.skip(
    executable === undefined,
    `Neither ${system} nor Playwright’s own Chromium is installed.`,
  );
  test.beforeAll(async () => {
    if (executable === undefined) return;
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: executable, args });
  });
  test.afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  test.afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('The browser was not started.');
    return browser;
  };
}

/** Opens reports from disk in such a browser, each in its own context. */
export function useBrowser(browser = useChromium()): OpenPage {
  // Made by a test alone: the files of tests are also read by processes that run none.
  let folder = '';
  let files = 0;
  test.beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'crossfarm-report-'));
  });
  test.afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return async (markup, options = {}) => {
    files += 1;
    const file = path.join(folder, `${String(files)}.html`);
    writeFileSync(file, markup);
    return openFile(await browser().newContext({ offline: true, ...options }), file);
  };
}

async function openFile(
  context: Awaited<ReturnType<Browser['newContext']>>,
  file: string,
): Promise<OpenedPage> {
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
  await openDetails(page, 'details.part');
  return { page, requests, complaints };
}

/** All of them, or those that a selector means: a page opens with its sections folded. */
export async function openDetails(page: Page, which = 'details'): Promise<void> {
  await page.locator(which).evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '');
  });
}

/** The default rules that concern colours. */
const rulesOfColour = ['color-contrast', 'link-in-text-block'];

/**
 * All that axe finds, whatever its impact: each rule, and the first elements that break it. A
 * dark page has other colours and the same elements: only rules on colours are checked in the dark.
 */
export async function problemsOfAxe(
  page: Page,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<readonly unknown[]> {
  // The builder's own axe (4.13.0) took three times as long for the contrasts of a whole comparison.
  const { source: axeSource } = axe;
  // A report has no frames, so that axe need not open a page to collect their results.
  const all = new AxeBuilder({ page, axeSource })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode();
  const asked = colorScheme === 'dark' ? all.withRules([...rulesOfColour]) : all;
  const { violations } = await asked.analyze();
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html)]);
}

/** Width of the whole page, which is more than the screen's if it scrolls sideways. */
export async function pageWidth(page: Page): Promise<number> {
  return page.locator('html').evaluate((root) => root.scrollWidth);
}
