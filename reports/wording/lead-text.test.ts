/** A terminal is told what differs and why in the words of the report's first screen. */
import { renderComparison } from '../comparison.ts';
import type { Findings } from '../findings.ts';
import { anExample } from '../golden/example.ts';
import { poisoned } from '../golden/hostile.ts';
import { aPairExample } from '../golden/pair-example.ts';
import { parsePage } from '../golden/parsed-page.ts';
import { aRunsExample } from '../golden/runs-example.ts';
import { leadText, whyText } from './comparison-text.ts';
import { expect, test } from '@playwright/test';

/** The first screen, without any white space: markup has some where a sentence has none. */
async function firstScreen(findings: Findings): Promise<string> {
  const lead = parsePage(await renderComparison(findings)).querySelector('.lead');
  return (lead?.textContent ?? '').replace(/\s+/g, '');
}

for (const [what, findings, difference] of [
  ['a run', anExample(), /^▼ slower Firefox .*took \d.*× as long as Chromium in fib /],
  ['one pair', aPairExample(), /^▼ slower .*took \d.*× as long as .* at every look, /],
  ['two runs', aRunsExample(), /^▼ slower .*, run 14 took \d.*× as long as .*, run 12 in /],
] as const) {
  test(`of ${what} every sentence is one of the page, with what was seen with a difference`, async () => {
    const blocks = await leadText(findings);
    const lines = blocks.flatMap((block) => block.lines);
    const page = await firstScreen(findings);
    // Of facts the name and what is said of it stand in columns there.
    for (const line of lines) expect(page).toContain(line.replace(/^([ab]):|\s+/g, '$1'));
    expect(blocks[0]).toEqual({ kind: 'heading', lines: ['In short'] });
    expect(lines[1]).toMatch(/measured on/);
    expect(
      lines.some((line) => difference.test(line)),
      lines.join('\n'),
    ).toBe(true);
    expect(lines.some((line) => /^(Seen with it: |Nothing recorded says why)/.test(line))).toBe(
      true,
    );
    // How to read a picture helps nobody who has none.
    expect(lines.join('\n')).not.toMatch(/dashed|Hollow|stripe/);
  });
}

test('a difference of a list has its numbers and what was seen with it below it', async () => {
  const items = (await leadText(anExample())).filter(({ kind }) => kind === 'item');
  const [claim, numbers, why] = items[0]!.lines;
  expect(claim).toContain('took');
  expect(numbers).toMatch(/^\d.*×, \d+ blocks/);
  expect(why).toMatch(/^(Seen with it: |Nothing recorded)/);
});

test('a claim that fits comes with its command', async () => {
  const lines = (await leadText(anExample())).flatMap((block) => block.lines);
  expect(lines).toContain(
    'On Linux asyncFib is much faster in Chromium than in Firefox. npx farm reproduce A3',
  );
});

test('of a pair alone there is what was seen with it, and nothing where the sides are equivalent', async () => {
  const lines = (await whyText(aPairExample())).flatMap((block) => block.lines);
  expect(lines[0]).toMatch(/^Nothing recorded says why \(alike: /);
  const { verdicts, ...findings } = aPairExample();
  const pairs = verdicts.pairs.map((pair) => ({ ...pair, verdict: 'equivalent' as const }));
  expect(await whyText({ ...findings, verdicts: { ...verdicts, pairs } })).toEqual([]);
});

test('names bring neither an escape nor markup into the terminal', async () => {
  const lines = (await leadText(poisoned(anExample()))).flatMap((block) => block.lines);
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(lines.length).toBeGreaterThan(3);
});

test('a run that was made for a question says what was shown of its direction and of its size', async () => {
  const asked = {
    ...{ title: 'Claim E2', sentence: 'two to three times as long', verdict: 'refuted' as const },
    headline: 'direction confirmed, size refuted (larger by a factor of 3.5): 10.5× (9.8 … 11.2)',
    unsettled: null,
  };
  const linesOf = async (findings: Findings) =>
    (await leadText(findings)).flatMap(({ lines }) => lines);
  expect(await linesOf({ ...anExample(), asked })).toContain(
    `Claim E2, “two to three times as long” ✗ refuted: ${asked.headline}.`,
  );
  expect((await linesOf(anExample())).join(' ')).not.toContain('refuted');
});
