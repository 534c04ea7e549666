import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../../reports/golden/markup.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';

test('a comparison prints the ratio, interval and medians of the report that it names', async () => {
  let trials = 0;
  const { farm } = await aFakeFarm({
    // Well below a millisecond, so that a number without the unit that fits it would be seen.
    durationOf: ({ parameters }) =>
      (parameters['extraPercent'] === 100 ? 0.4 : 0.2) * (1 + 0.02 * Math.sin(trials++)),
  });
  const sides = ['compare', 'one', 'one', '--bench', 'control', '--a-param', 'extraPercent=100'];
  const { code, stdout, stderr } = await farm(...sides, '--seed', '1');
  expect(code, stderr).toBe(0);
  const printed = numbersOf(stdout);
  expect(printed.verdict).toBe('▼ slower');
  expect(printed.ratio).toMatch(/^(1\.9|2\.0)\d*×$/);
  expect(printed.interval).toBeDefined();
  expect(printed.medians).toHaveLength(2);
  // On a busy machine a side may have two speeds, and both are given.
  expect(printed.medians[0]).toMatch(/^(about )?[\d.]+ (µs|ms).* over \d+ trials$/);

  // It ends with its report, whose path it says once.
  const [, path = ''] = /^report of run 1: (.+) \(\d+ kB\)$/m.exec(stdout) ?? [];
  const lead = await leadOf(path);
  expect(numbersOf(lead)).toEqual(printed);
  // No probe looked, and both say so in the same words.
  const why = 'Nothing recorded says why, and threads were not read.';
  expect(stdout).toContain(`\n${why}\n`);
  expect(lead).toContain(why);
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

test('an option of one side is refused where one build is compared with itself', async () => {
  const args = ['--drivers', 'chromium', '--a-build', '143'];
  const { code, stderr } = await farmInProcess(await aFolder(), 'compare', ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/--a-build cannot be said with --drivers/);
});

test('a comparison of neither two devices nor drivers names what it needs', async () => {
  const folder = await aFolder();
  for (const args of [[], ['chromium'], ['chromium', 'firefox', '--drivers', 'chromium']]) {
    const { code, stderr } = await farmInProcess(folder, 'compare', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/two devices.*--drivers/);
  }
});

test('a smoke test may have one block, which decides nothing', async () => {
  const { farm } = await aFakeFarm();
  const brief = ['compare', 'one', 'two', '--bench', 'control', '--max-blocks', '1', '--json'];
  const smoke = await farm(...brief);
  expect(smoke.code, smoke.stderr).toBe(0);
  expect(JSON.parse(smoke.stdout)).toMatchObject({
    verdict: 'undecided',
    blocks: 1,
    preset: 'fast',
  });
  const standard = await farm(...brief, '--measurement', 'standard');
  expect(standard.code).toBe(2);
  expect(standard.stderr).toMatch(/1 blocks cannot decide/);
});

test('help shows ten options, and with --all every one in its group', async () => {
  const folder = await aFolder();
  const short = (await farmInProcess(folder, 'compare', '--help')).stdout;
  const options = [...short.matchAll(/^ +(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name);
  expect(options.filter((name) => name !== '--help')).toHaveLength(10);
  expect(short).toContain('npx crossfarm compare --help --all');
  const whole = (await farmInProcess(folder, 'compare', '--help', '--all')).stdout;
  for (const name of ['--a-flag', '--spa', '--continue', '--probe']) {
    expect(whole).toContain(`  ${name} `.replace('--spa ', '--spa'));
  }
  expect(whole).toMatch(/^Versions of a page:$/m);
  expect(whole).not.toContain('versions: ');
});

test('without sides it names pages first', async () => {
  const told = await farmInProcess(await aFolder(), 'compare');
  expect(told.code).toBe(2);
  expect(told.stderr).toContain('npx crossfarm compare old.html new.html');
});

test('--precision measures until the interval is that narrow, with or without a verdict', async () => {
  const sides = ['compare', 'one', 'two', '--bench', 'control', '--seed', '1', '--json'];
  const measure = async (...more: readonly string[]): Promise<Answer> => {
    let trials = 0;
    const { farm } = await aFakeFarm({ durationOf: () => 10 * (1 + 0.05 * Math.sin(trials++)) });
    const run = await farm(...sides, ...more);
    expect(run.code, run.stderr).toBe(0);
    return JSON.parse(run.stdout) as Answer;
  };
  const wide = await measure('--precision', '10%');
  expect(wide).toMatchObject({ ended: 'decided', verdict: 'undecided' });
  expect(wide.precision).toMatchObject({ asked: 0.1 });
  expect(wide.precision.reached).toBeLessThan(0.1);
  expect(wide.command).toContain(' --margin 0.02 --precision 0.1 ');
  const narrow = await measure('--precision', '5%');
  expect(narrow.precision.reached).toBeLessThan(0.05);
  expect(narrow.blocks).toBeGreaterThan(wide.blocks);
  const few = await measure('--precision', '1%', '--max-blocks', '8');
  expect(few).toMatchObject({ ended: 'most-blocks', blocks: 8 });
});

interface Answer {
  readonly command: string;
  readonly blocks: number;
  readonly precision: { readonly reached: number };
}

test('a comparison that ended too wide says so, and goes on to the same precision', async () => {
  let trials = 0;
  const { farm } = await aFakeFarm({ durationOf: () => 10 * (1 + 0.05 * Math.sin(trials++)) });
  const first = ['compare', 'one', 'two', '--bench', 'control', '--precision', '5%', '--seed', '1'];
  const short = await farm(...first, '--max-blocks', '7');
  expect(short.stdout).toMatch(
    /ended after 7 blocks: more are not allowed .*widest interval is ± /,
  );
  const further = await farm('continue', '1', '--max-blocks', '90');
  expect(further.stdout).toMatch(/it ended after \d\d blocks: each interval is within ± 5 %/);
});
