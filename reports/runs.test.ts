/** The report of several runs, in words. */
import { expect, test } from '@playwright/test';
import { comparisonText } from './comparison-text.ts';
import { renderComparison } from './comparison.ts';
import type { Findings } from '../harness/core/results/index.ts';
import type { PairVerdict } from '../harness/core/results/verdicts.ts';
import { aRunsExample } from './golden/runs-example.ts';
import { parseData, visibleWords } from './golden/markup.ts';

test('the first screen lists and draws the differences between the runs, with intervals', async () => {
  const page = await renderComparison(aRunsExample());
  const words = visibleWords(page);
  expect(words).toContain('Largest differences from run 12');
  expect(words).toMatch(
    /▼ Firefox ESR 153\.0esr, run 14 is 43 % slower \(\d+ … \d+ %\) in asyncFib\(24\)/,
  );
  expect(words).toMatch(/547 ms against 383 ms, 9 against 9 trials\./);
  expect(words).toMatch(/Of 8 comparisons with run 12: /);
  expect(words).not.toContain('at every look, and the blocks');
  expect(page).toMatch(/class="forest[^]*id="targets"/);
});

test('other differences between the runs come before the numbers', async () => {
  const page = await renderComparison(aRunsExample());
  expect(visibleWords(page)).toContain('Build of firefox firefox 152.4esr firefox 153.0esr');
  expect(page.indexOf('<h2 id="between"')).toBeLessThan(page.indexOf('<h2 id="comparison"'));
  const same = visibleWords(await renderComparison({ ...aRunsExample(), between: [] }));
  expect(same).toContain('Nothing differs.');
});

test("the same device in the baseline's run is the baseline", async () => {
  const words = visibleWords(await renderComparison(aRunsExample()));
  expect(words).toMatch(/same device in run 12 .{0,12}baseline/);
  expect(words).toMatch(/Firefox ESR 152\.4esr, run 12 [\d.]+ ms baseline/);
  expect(words).toContain('vs. itself in run 12');
  expect(words).toContain('Two runs have no block in common.');
  const one = visibleWords(await renderComparison({ ...aRunsExample(), verdicts: ofOneRun() }));
  expect(one).not.toContain('Two runs have no block in common.');
});

test('a smoke test says that its durations decide nothing, before any number', async () => {
  const findings = aRunsExample();
  const runs = findings.runs.map((run, index) => ({
    ...run,
    ...(index === 0 && { preset: 'fast' as const }),
  }));
  const words = visibleWords(await renderComparison({ ...findings, runs }));
  expect(words).toMatch(/smoke test Run 12 was measured .*decide nothing.*Largest differences/);
  expect(await renderComparison(findings)).not.toContain('smoke test');
});

function ofOneRun(): Findings['verdicts'] {
  const { margin, alpha, smallestBlocks } = aRunsExample().verdicts;
  return { margin, alpha, smallestBlocks, baselineTargetId: null, pairs: [], course: null };
}

function changed(change: Partial<PairVerdict>): Findings {
  const { verdicts, ...findings } = aRunsExample();
  const pairs = verdicts.pairs.map((pair) => ({ ...pair, ...change }));
  return { ...findings, verdicts: { ...verdicts, pairs } };
}

test('gives no verdict for too few trials or insignificant differences', async () => {
  const open = { verdict: 'undecided', low: null, high: null, discovery: false } as const;
  const few = visibleWords(
    await renderComparison(
      changed({ ...open, because: 'too-few-trials', unpaired: { trials: [3, 3] } }),
    ),
  );
  expect(few).toMatch(/\? undecided : .{0,40} 4 trials of each/);
  expect(few).toContain('Difference seen: Firefox ESR 153.0esr, run 14');
  expect(few).not.toContain('Largest differences');
  const wide = visibleWords(await renderComparison(changed({ ...open, because: 'too-wide' })));
  expect(wide).toContain('neither shown nor ruled out');
  expect(wide).not.toContain('more blocks would hardly help');
});

test('a terminal shows the same, with the baseline’s run', () => {
  const [first] = comparisonText(aRunsExample());
  const [chromium12, chromium14, firefox12, firefox14] = first!.rows;
  expect([chromium12![3], firefox12![3]]).toEqual(['baseline', 'baseline']);
  expect(chromium14![3]).toMatch(/^(= equivalent|\? undecided|▼ slower|▲ faster) [\d.]+×/);
  expect(firefox14![3]).toMatch(/^▼ slower 1\.\d+× \(1\.\d+–1\.\d+×, 9 against 9 trials/);
});

test('the data name both runs, their differences, and the trials behind each verdict', async () => {
  const data = parseData(await renderComparison(aRunsExample())) as Findings;
  expect(data.runs.map(({ id }) => id)).toEqual([12, 14]);
  expect(data.between).toHaveLength(2);
  expect(data.verdicts.pairs[0]).toMatchObject({ unpaired: { trials: [9, 9] } });
});
