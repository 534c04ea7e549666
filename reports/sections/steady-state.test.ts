import { expect, test } from '@playwright/test';
import { comparisonText, leadText } from '../comparison-text.ts';
import { renderComparison } from '../comparison.ts';
import type { Findings, SteadyCell } from '../../harness/core/results/index.ts';
import { someSteady } from '../golden/example-steady.ts';
import { anExample, anUnsearchedExample } from '../golden/example.ts';
import { aLargeExample } from '../golden/large-example.ts';
import { visibleWords } from '../golden/markup.ts';

const example = anExample();

/** The first line of the section alone, changed. */
function oneCell(change: Partial<SteadyCell>): Findings {
  const { cells, verdicts } = example.steady!;
  return { ...example, steady: { cells: [{ ...cells[0]!, ...change }], verdicts } };
}

async function sectionOf(findings: Findings): Promise<string> {
  const page = await renderComparison(findings);
  const [section = ''] = /<section aria-labelledby="steady">.*?<\/section>/s.exec(page) ?? [];
  return visibleWords(section);
}

test('the section begins with the longest warm-up, and the first screen has it, too', async () => {
  const words = await sectionOf(example);
  expect(words).toMatch(/(\S.*) needs \d\.\d+ s to reach its speed in \S/);
  expect(words).toMatch(/38 cases .*3 are inconsistent/);
  const lead = (await leadText(example)).flatMap(({ lines }) => lines).join(' ');
  expect(lead).toMatch(/needs \d\.\d+\ss to reach/);
});

test('a line has its classes, both times with their intervals, and their verdicts', async () => {
  const words = await sectionOf(example);
  expect(words).toMatch(
    /Chromium warm-up in all 9 .{0,30} 0\.3 % .{0,20} 48\.9 ms 47\.4–50\.8 ms baseline 649 ms/,
  );
  expect(words).toMatch(
    /Firefox ESR warm-up in all 9 .{0,30} 0\.3 % .{0,20} 150 ms 146–156 ms ▼ slower 3\.\d+×/,
  );
  expect(words).toContain('warm-up in 5, no steady state in 4; noisy in 1 inconsistent');
});

test('flat and warm-up are not called inconsistent, since both end at the fastest speed', async () => {
  const classes = (...names: ('flat' | 'warm-up' | 'slowdown')[]): Promise<string> =>
    sectionOf(oneCell({ classes: names.map((name) => ({ name, trials: 3 })) }));
  expect(await classes('warm-up', 'flat')).toContain('ended alike');
  expect(await classes('warm-up', 'slowdown')).toContain('1 is inconsistent');
});

test('CPU time has its interval and verdict, or the reason', async () => {
  const words = await sectionOf(example);
  expect(words).toMatch(/Firefox ESR warm-up in all 9 .*? 29\.8 ms 28\.9–31\.0 ms ▼ slower 3\.08×/);
  expect(words).toMatch(/WebKitGTK warm-up in all 9 .*? — the probe was off/);
});

test('two speeds are in the comparison with their shares, and no median between them', async () => {
  const words = visibleWords(await renderComparison(example));
  expect(words).toMatch(/two speeds 210 µs 6 of 9 630 µs 3 of 9 /);
  expect(await sectionOf(example)).toContain('210 µs in 6 of 9 trials, 630 µs in 3');
  const rows = comparisonText(example).flatMap((one) => one.rows);
  const row = rows.find(([, median]) => median?.includes('(6 of 9)'));
  expect(row?.slice(1, 3)).toEqual(['210 µs (6 of 9) or 630 µs (3 of 9)', '—']);
});

for (const [what, change, says] of [
  ['good', { was: 400, best: 500 }, 'about right: it was 400 ms, 500 ms would be best'],
  ['too short', { was: 400, best: 1200 }, 'a window of 1.20 s would be best; it was 400 ms'],
  ['without end', { was: 400, best: 1e6 }, 'as long as you like: sessions hardly differ'],
  [
    'set after the first round',
    { was: 300, then: 1600, best: 1800 },
    'about right: it was 300 ms in the first round, and 1.60 s then, 1.80 s would be best',
  ],
  ['unknown', { was: 400, best: null }, 'what is best cannot be told'],
] as const) {
  test(`a window that is ${what} is marked with the spread`, async () => {
    const words = await sectionOf(oneCell({ windowMs: change }));
    expect(words).toContain('3.1 % 0.4 % 1.2 %');
    expect(words).toContain(says);
  });
}

test('shows no time to steady where never reached, no unknown spread', async () => {
  const classes = [{ name: 'no steady state', trials: 9 }];
  const words = await sectionOf(oneCell({ classes, steadyAfterMs: null, spread: null }));
  expect(words).toContain('no steady state in all 9');
  expect(words).not.toContain('to reach its speed');
  expect(words).not.toContain('Where the spread comes from');
});

test('the share of compilers is a bound only where it has to be', async () => {
  const words = await sectionOf(oneCell({ compilers: { share: 0.0004, atMost: true } }));
  expect(words).toMatch(/compilers used < 0\.1 %/);
  const exact = await sectionOf(oneCell({ compilers: { share: 0.02, atMost: false } }));
  expect(exact).toContain('compilers used 2.0 % of the window');
});

test('a target with few steady trials never counts as the slowest', async () => {
  const classes = [
    { name: 'no steady state', trials: 5 },
    { name: 'warm-up', trials: 4 },
  ];
  expect(await sectionOf(oneCell({ classes }))).not.toContain('to reach its speed');
});

test('a run that was not searched has no such section', async () => {
  expect(await sectionOf(anUnsearchedExample())).toBe('');
});

test('a large report shows the slowest lines, and stays within its limit', async () => {
  const large = aLargeExample({ targets: 10, cases: 200, trials: 30 });
  const findings = { ...large, steady: someSteady(large.rows, 'target-1') };
  const page = await renderComparison(findings);
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2_000_000);
  expect(visibleWords(page)).toMatch(/\b120 lines .{0,20} 2,000\b/);
});
