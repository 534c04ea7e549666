import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../reports/golden/markup.ts';
import { findOnPath } from '../setup/executable.ts';
import { farm, leftRunning, somePages } from '../testing/farm.ts';
import { aFolder } from '../testing/folder.ts';

/** Well below a millisecond, so that a number without the unit that fits it would be seen. */
const pair = [
  ...['compare', 'node', 'node', '--bench', 'control'],
  ...['--param', 'rounds=20000', '--a-param', 'extraPercent=100'],
  ...['--max-blocks', '60', '--no-probes'],
];

test('a comparison prints the ratio, interval and medians of the report that it names', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const { code, stdout, stderr } = await farm(folder, ...pair);
  expect(code, stderr).toBe(0);
  const printed = numbersOf(stdout);
  expect(printed.medians).toHaveLength(2);
  // On a busy machine a side may have two speeds, and both are given.
  expect(printed.medians[0]).toMatch(/^(about )?[\d.]+ (µs|ms).* over \d+ trials$/);

  const [, named] = /^see it: npx farm (report \d+)$/m.exec(stdout) ?? [];
  const written = await farm(folder, ...String(named).split(' '), '--out', 'report.html');
  expect(written.code, written.stderr).toBe(0);
  const lead = await leadOf(join(folder, 'report.html'));
  expect(numbersOf(lead)).toEqual(printed);
  // No probe looked, and both say so in the same words.
  const why = 'Nothing recorded says why, and threads were not read.';
  expect(stdout).toContain(`\n${why}\n`);
  expect(lead).toContain(why);
});

/** Lasts as long as requested, and reports sessions that vary less than their stretches. */
const wandering = `
  const { ms } = assignment.measurement.window;
  const session = 0.08 * (Math.random() - 0.5);
  const length = Math.round(ms / 5);
  const timed = Array.from({ length }, (_, i) => {
    const stretch = Math.floor((i * 5) / length) % 2 === 0 ? 0.1 : -0.1;
    return 5 * Math.exp(session + stretch);
  });
  await post('window', JSON.stringify({ mark: 'start' }));
  const lasts = timed.reduce((sum, one) => sum + one, 0);
  await new Promise((resolve) => setTimeout(resolve, lasts));
  await post('window', JSON.stringify({ mark: 'end' }));
  await post('result', JSON.stringify({
    protocol: 1,
    clock: { granuleUs: 5, isolated: true },
    host: { userAgent: 'test', hardwareConcurrency: 2 },
    repeats: 1,
    steadiness: 'flat',
    steadyState: {
      firstMs: 5, steadyAfterMs: 0, noisy: false, windowAtMs: 0, warmUpEndMs: [], segments: [],
    },
    samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed }],
    counters: {},
  }));
`;

test('after the first round wandering trials are timed for longer, also in a continued comparison', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const pages = await somePages(folder, wandering);
  const sides = ['compare', 'chromium', 'chromium', '--bench', 'mine', '--pages', pages];
  const rules = ['--margin', '0.1%', '--max-blocks', '7', '--no-probes', '--seed', '3'];
  const { stdout, stderr } = await farm(folder, ...sides, ...rules);
  expect(stderr.match(/timed for 2\.4 s/g), stderr).toHaveLength(1);
  expect(stdout).toMatch(/300\sms in the first round.* 2\.40\ss/);

  const on = ['compare', '--continue', '1', '--max-blocks', '1', '--json'];
  const further = await farm(folder, ...on);
  expect(JSON.parse(further.stdout), further.stderr).toMatchObject({
    blocks: 8,
    window: { firstMs: 300, thenMs: 2400 },
  });
  await farm(folder, 'report', '1', '--out', 'report.html');
  const report = parsePage(await readFile(join(folder, 'report.html'), 'utf8'));
  const section = report.querySelector('[aria-labelledby="steady"]');
  const words = (section?.textContent ?? '').replace(/\s+/g, ' ');
  expect(words).toMatch(/in the first round.{0,9} 2\.\d+\ss/);
});

interface Numbers {
  readonly ratio: string | undefined;
  readonly interval: string | undefined;
  readonly verdict: string | undefined;
  readonly medians: readonly (string | undefined)[];
}

/** The numbers of either text. */
function numbersOf(text: string): Numbers {
  return {
    // The first is that of the verdict.
    ratio: /(?<![–\d.])[\d.,]+×/.exec(text)?.[0],
    interval: /[\d.,]+–[\d.,]+×(?= at every look)/.exec(text)?.[0],
    verdict: /[▲▼=?] (?:faster|slower|equivalent|undecided)/.exec(text)?.[0],
    // Behind the name of a case, which a report divides by a colon and a terminal by spaces.
    medians: [...text.matchAll(/place=\w+(?::| ) +(.+? over \d+ trials?)/g)].map(([, one]) => one),
  };
}

/** The first screen of a report, as text on one line. */
async function leadOf(path: string): Promise<string> {
  const lead = parsePage(await readFile(path, 'utf8')).querySelector('.lead');
  return (lead?.textContent ?? '').replace(/\s+/g, ' ');
}

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
  // Five blocks of every driver, headless and headed.
  test.setTimeout(360_000);
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

test('an option of one side is refused where one build is compared with itself', async () => {
  const args = ['--drivers', 'chromium', '--a-build', '143'];
  const { code, stderr } = await farm(await aFolder(), 'compare', ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--a-build cannot be said with --drivers/);
});

test('a comparison of neither two devices nor drivers names what it needs', async () => {
  const folder = await aFolder();
  for (const args of [[], ['chromium'], ['chromium', 'firefox', '--drivers', 'chromium']]) {
    const { code, stderr } = await farm(folder, 'compare', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/two devices.*--drivers/);
  }
});
