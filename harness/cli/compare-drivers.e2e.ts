import { test, expect } from '@playwright/test';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

test.setTimeout(180_000);

interface Told {
  readonly browser: { readonly name: string; readonly version: string };
  readonly executable: string;
  readonly drivers: readonly {
    readonly driver: string;
    readonly headless: boolean;
    readonly blocks: number;
  }[];
  readonly missing: readonly { readonly driver: string; readonly reason: string }[];
  readonly command: string;
}

test('one build is measured under every driver that is here, against no automation', async () => {
  test.skip(
    findOnPath(['chromium', 'chromium-browser']) === null,
    'Chromium is not installed here',
  );
  const folder = await aFolder();
  const { code, stdout, stderr } = await farm(
    folder,
    ...['compare', '--drivers', 'chromium', '--bench', 'control', '--param', 'rounds=1000'],
    // It ends after the first block: which driver changes what is not for a test to decide.
    ...['--budget', '1', '--no-probes', '--json'],
  );
  expect(code, stderr).toBe(0);
  const told = JSON.parse(stdout) as Told;
  expect(told.browser.version).toMatch(/^\d+\./);
  const rows = told.drivers.map(
    ({ driver, headless }) => `${driver} ${headless ? 'headless' : 'headed'}`,
  );
  expect(rows).toEqual(expect.arrayContaining(['playwright headless', 'puppeteer headless']));
  expect(rows.some((row) => row.startsWith('open'))).toBe(false);
  expect(told.drivers.every(({ blocks }) => blocks >= 1)).toBe(true);
  expect(told.missing.every(({ reason }) => reason.length > 10)).toBe(true);
  expect(told.command).toMatch(/^npx farm compare --drivers chromium .* --seed \d+$/);
  expect(leftRunning(folder)).toEqual([]);
  const report = await farm(folder, 'report', '--out', 'report.html');
  expect(report.code).toBe(0);
});

test('a comparison of neither two devices nor drivers says what it takes', async () => {
  const folder = await aFolder();
  for (const args of [[], ['chromium'], ['chromium', 'firefox', '--drivers', 'chromium']]) {
    const { code, stderr } = await farm(folder, 'compare', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain('A comparison takes two devices, or one with --drivers.');
  }
});
