import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parsePage } from '../../reports/golden/parsed-page.ts';
import { farm } from '../testing/farm.ts';
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
