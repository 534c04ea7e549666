import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../../reports/golden/markup.ts';
import { seededGenerator } from '../../core/analysis/stats/random.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import type { FakeTrial } from '../../../drivers/fake/fake.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { farm, leftRunning } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

/**
 * Lasts as long as requested, as the farm's own clock sees, in sessions that vary less than their
 * stretches.
 */
function wanderingPage(): FakeTrial {
  const generator = seededGenerator(2);
  let timed: readonly number[] = [];
  return {
    does: 'completes',
    work: async ({ measurement: { window = { ms: 0 } } }) => {
      const perStretch = Math.round(window.ms / 5 / 5);
      timed = Array.from({ length: 5 }, () => 5 * Math.exp(0.1 * generator.normal())).flatMap(
        (level) => Array<number>(perStretch).fill(level),
      );
      const lasts = timed.reduce((sum, one) => sum + one, 0);
      await new Promise((resolve) => setTimeout(resolve, lasts));
    },
    metrics: () => [{ metric: 'duration', unit: 'ms', timed }],
    result: {
      steadiness: 'flat',
      steadyState: {
        firstMs: 5,
        steadyAfterMs: 0,
        noisy: false,
        windowAtMs: 0,
        warmUpEndMs: [],
        segments: [],
      },
    },
  };
}

test('times wandering trials longer after the first round, also when continued', async () => {
  const { folder, farm: fakeFarm } = await aFakeFarm({ trial: wanderingPage() });
  const sides = ['compare', 'one', 'one', '--bench', 'control', '--measurement', 'standard'];
  const rules = ['--margin', '0.1%', '--max-blocks', '7', '--seed', '3'];
  const { stdout, stderr } = await fakeFarm(...sides, ...rules);
  expect(stderr.match(/timed for 2\.4 s/g), stderr).toHaveLength(1);
  expect(stdout).toMatch(/300\sms in the first round.* 2\.40\ss/);

  const further = await fakeFarm('compare', '--continue', '1', '--max-blocks', '1', '--json');
  expect(JSON.parse(further.stdout), further.stderr).toMatchObject({
    blocks: 8,
    window: { firstMs: 300, thenMs: 2400 },
  });
  await fakeFarm('report', '1', '--out', 'report.html');
  const report = parsePage(await readFile(join(folder, 'report.html'), 'utf8'));
  const section = report.querySelector('[aria-labelledby="steady"]');
  const words = (section?.textContent ?? '').replace(/\s+/g, ' ');
  expect(words).toMatch(/in the first round.{0,9} 2\.\d+\ss/);
});

test('a comparison finds work that was added, and repeats by its command', async () => {
  const folder = await aFolder();
  const { code, stdout, stderr } = await farm(
    folder,
    ...['compare', 'node', 'node', '--bench', 'control', '--measurement', 'fast'],
    // Ten times as much: a factor that no busy machine hides.
    ...['--a-param', 'rounds=5000000', '--b-param', 'rounds=500000', '--max-blocks', '20'],
    // Nothing is quarantined without the probe of the environment, so a busy machine decides, too.
    ...['--expect', 'slower', '--no-probes', '--json'],
  );
  const verdict = JSON.parse(stdout) as {
    readonly verdict: string;
    readonly low: number;
    readonly command: string;
  };
  expect(verdict.verdict, stderr).toBe('slower');
  expect(verdict.low).toBeGreaterThan(1);
  expect(verdict.command).toContain('--a-param rounds=5000000 --b-param rounds=500000');
  expect(verdict.command).toContain('--no-probes');
  expect(code).toBe(0);
  expect((await farm(folder, 'report', '--out', 'report.html')).code).toBe(0);
});

interface DeviceReport {
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
    ...['compare', '--drivers', 'chromium', '--bench', 'control', '--param', 'rounds=300000'],
    // One block: which driver changes what is not for a test to decide.
    ...['--measurement', 'fast', '--max-blocks', '1', '--no-probes', '--json'],
  );
  expect(code, stderr).toBe(0);
  const told = JSON.parse(stdout) as DeviceReport;
  expect(told.browser.version).toMatch(/^\d+\./);
  const rows = told.drivers.map(
    ({ driver, headless }) => `${driver} ${headless ? 'headless' : 'headed'}`,
  );
  expect(rows).toEqual(expect.arrayContaining(['playwright headless', 'puppeteer headless']));
  expect(rows.some((row) => row.startsWith('open'))).toBe(false);
  expect(told.drivers.every(({ blocks }) => blocks >= 1)).toBe(true);
  expect(told.missing.every(({ reason }) => reason.length > 10)).toBe(true);
  expect(told.command).toMatch(/^npx crossfarm compare --drivers chromium .* --seed \d+$/);
  expect(leftRunning(folder)).toEqual([]);
  const report = await farm(folder, 'report', '--out', 'report.html');
  expect(report.code).toBe(0);
});
