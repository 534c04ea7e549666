import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../reports/golden/markup.ts';
import { farm, somePages } from '../testing/farm.ts';
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
  expect(printed.medians[0]).toMatch(/^[\d.]+ (µs|ms) over \d+ trials$/);

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

/** Says that it timed for as long as it was told, in sessions that are more alike than their stretches. */
const wandering = `
  const { ms } = assignment.measurement.window;
  const session = 0.08 * (Math.random() - 0.5);
  const length = Math.round(ms / 5);
  const timed = Array.from({ length }, (_, i) => {
    const stretch = Math.floor((i * 5) / length) % 2 === 0 ? 0.1 : -0.1;
    return 5 * Math.exp(session + stretch);
  });
  await post('window', JSON.stringify({ mark: 'start' }));
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

test('after the first round trials are timed for longer where they wander, when it goes on, too', async () => {
  test.setTimeout(300_000);
  const folder = await aFolder();
  const pages = await somePages(folder, wandering);
  const sides = ['compare', 'chromium', 'chromium', '--bench', 'mine', '--pages', pages];
  const rules = ['--margin', '0.1%', '--max-blocks', '7', '--no-probes', '--seed', '3'];
  const { stdout, stderr } = await farm(folder, ...sides, ...rules);
  expect(stderr.match(/each trial is timed for 2\.4 s from here on/g), stderr).toHaveLength(1);
  expect(stdout).toMatch(/timed for 300\sms in the first round, 2\.40\ss then/);

  const on = ['compare', '--continue', '1', '--max-blocks', '1', '--json'];
  const further = await farm(folder, ...on);
  expect(JSON.parse(further.stdout), further.stderr).toMatchObject({
    ...{ blocks: 8, window: { firstMs: 300, thenMs: 2400 } },
  });
  await farm(folder, 'report', '1', '--out', 'report.html');
  const report = parsePage(await readFile(join(folder, 'report.html'), 'utf8'));
  const section = report.querySelector('[aria-labelledby="steady"]');
  const words = (section?.textContent ?? '').replace(/\s+/g, ' ');
  expect(words).toMatch(/in the first round, and 2\.\d+\ss then/);
});

interface Numbers {
  readonly ratio: string | undefined;
  readonly interval: string | undefined;
  readonly verdict: string | undefined;
  readonly medians: readonly (string | undefined)[];
}

/** What a reader would look up, from either text. */
function numbersOf(text: string): Numbers {
  return {
    // The first is that of the verdict.
    ratio: /(?<![–\d.])[\d.,]+×/.exec(text)?.[0],
    interval: /[\d.,]+–[\d.,]+×(?= at every look)/.exec(text)?.[0],
    verdict: /[▲▼=?] (?:faster|slower|equivalent|undecided)/.exec(text)?.[0],
    medians: [...text.matchAll(/median (.+? over \d+ trials?)/g)].map(([, median]) => median),
  };
}

/** The first screen of a report, as text on one line. */
async function leadOf(path: string): Promise<string> {
  const lead = parsePage(await readFile(path, 'utf8')).querySelector('.lead');
  return (lead?.textContent ?? '').replace(/\s+/g, ' ');
}
